import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidDuration } from './duration.ts'
import { jsonLine, type LogLine, mergeFields, readableLine } from './log-line.ts'
import type { LogFields } from './logger.ts'

const line = (fields: LogFields, message = 'said'): LogLine => ({
  level: 'warn',
  wallMs: 1_700_000_000_123,
  message,
  fields,
})
const readable = (fields: LogFields, message?: string): string =>
  readableLine(line(fields, message), '12:03:04.567', false)
const parsed = (fields: LogFields, message?: string): Record<string, unknown> =>
  JSON.parse(jsonLine(line(fields, message))) as Record<string, unknown>

describe('readableLine', () => {
  test('puts time, level, message and fields in a row', () => {
    const fields = { node: 'a', shard: 7, uid: 12n, text: 'two words', none: undefined, nil: null }
    expect(readable(fields, 'shard moved')).toBe(
      "12:03:04.567 WARN  shard moved node=a shard=7 uid=12 text='two words' nil=null",
    )
  })

  test('quotes a value that could be taken for something else', () => {
    expect(readable({ a: '', b: 'x=y', c: "it's" })).toMatch(/ a='' b='x=y' c='it\\'s'$/)
  })

  test('escapes control characters in message, keys and values', () => {
    expect(readable({ 'k\n': 'v\u001b[0m' }, 'a\nb\u202e')).toBe(
      '12:03:04.567 WARN  a\\nb\\u202e k\\n=v\\u001b[0m',
    )
  })

  test('prints an error under its line, with code, stack and causes', () => {
    const error = new InvalidDuration(-1, 'timeout')
    error.cause = new TypeError('deeper\nand lower')
    const [first, header, frame, ...rest] = readable({ err: error, node: 'a' }).split('\n')
    expect(first).toBe('12:03:04.567 WARN  said node=a')
    expect(header).toMatch(/^ {4}InvalidDuration \[INVALID_DURATION\]: timeout is not/)
    expect(frame).toMatch(/^ {6}at .*log-line\.test\.ts/)
    expect(rest).toContain('    caused by TypeError: deeper\\nand lower')
  })

  test('prints what is under err like any field when it is not an error', () => {
    expect(readable({ err: 'refused' })).toBe('12:03:04.567 WARN  said err=refused')
  })

  test('has colour only when asked', () => {
    expect(readable({ a: 1 })).not.toContain('\u001b')
    expect(readableLine(line({ a: 1 }), '12:03:04.567', true)).toContain('\u001b[33mWARN \u001b[0m')
  })
})

describe('jsonLine', () => {
  test('has level, time, message and fields', () => {
    expect(jsonLine(line({ node: 'a', shard: 7, isLeader: true, uid: 12n, ratio: NaN }))).toBe(
      '{"level":"warn","time":1700000000123,"msg":"said","node":"a","shard":7,' +
        '"isLeader":true,"uid":"12","ratio":"NaN"}',
    )
  })

  test('describes an error by type, message, code, stack and cause', () => {
    const error = new InvalidDuration(-1, 'timeout')
    const cause = new TypeError('deeper', { cause: 'a plain word' })
    error.cause = cause
    expect(parsed({ err: error })['err']).toEqual({
      type: 'InvalidDuration',
      message: error.message,
      code: 'INVALID_DURATION',
      stack: error.stack,
      cause: {
        type: 'TypeError',
        message: 'deeper',
        stack: cause.stack,
        cause: "'a plain word'",
      },
    })
  })

  test('ends a chain of causes that has no end', () => {
    const error = new Error('again')
    error.cause = error
    expect(jsonLine(line({ err: error })).match(/"type"/g)).toHaveLength(5)
  })

  test('keeps a field whose name is taken under another name', () => {
    const fields = JSON.parse('{"level":1,"time":2,"msg":3,"__proto__":4}') as LogFields
    expect(jsonLine(line(fields))).toBe(
      '{"level":"warn","time":1700000000123,"msg":"said",' +
        '"_level":1,"_time":2,"_msg":3,"__proto__":4}',
    )
  })

  test('is one printable line that loses nothing', () => {
    const text = 'a\nb\u001b\u007f\u009b\u2028\u202e"\\'
    const written = jsonLine(line({ text }, text))
    expect(written).not.toMatch(/[\p{Control}\u2028\u202e]/u)
    expect(JSON.parse(written)).toMatchObject({ msg: text, text })
  })
})

describe('any line', () => {
  test('is bounded', () => {
    const long = 'x'.repeat(1_000_000)
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, long]))
    for (const written of [readable(many, long), jsonLine(line(many, long))]) {
      expect(written.length).toBeLessThan(50_000)
    }
  })

  test('comes out whatever the fields are', () => {
    const isOneLine = (text: string) => !text.includes('\n')
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), (fields) => {
        expect(isOneLine(readable(fields))).toBe(true)
        expect(parsed(fields)['msg']).toBe('said')
      }),
    )
  })

  test('comes out when a field or an error cannot be read', () => {
    const thrower = (): never => {
      throw new Error('no')
    }
    const error = Object.defineProperty(new Error('x'), 'code', { get: thrower })
    const fields = Object.defineProperty({ err: error, b: 2 }, 'a', {
      get: thrower,
      enumerable: true,
    })
    const merged = mergeFields({ c: 3 }, fields)
    expect(readable(merged)).toContain(' b=2 a=[unreadable]')
    expect(parsed(merged)).toMatchObject({ a: '[unreadable]', b: 2, c: 3 })
    expect(mergeFields({ c: 3 }, new Proxy({}, { ownKeys: thrower }))).toEqual({ c: 3 })
  })
})

describe('whatever is logged', () => {
  const long = 'x'.repeat(1_000_000)
  const err = Object.assign(new Error(long), {
    name: long,
    code: long,
    stack: `Error\n${'    at a (b)\n'.repeat(100)}${long}`,
    cause: Object.assign(new Error(long), { code: long }),
  })

  test.each<[string, LogFields]>([
    ['an error', { err }],
    ['a key', { [long]: 1 }],
    ['a list', { values: Array.from({ length: 20 }, () => long) }],
    ['a bigint', { count: 1n << 400_000n }],
  ])('the line is bounded: %s', (_what, fields) => {
    expect(readable(fields).length).toBeLessThan(20_000)
    expect(jsonLine(line(fields)).length).toBeLessThan(20_000)
  })

  test('an error shows thirty frames at most', () => {
    expect(readable({ err }).match(/\n {6}at a /g)).toHaveLength(30)
  })

  test('a frame is as harmless as the message', () => {
    const stack = 'Error: a\n    at evil\u001b[2J (file.ts:1:1)'
    const text = readable({ err: Object.assign(new Error('a'), { stack }) })
    expect(text).toContain('at evil\\u001b[2J (file.ts:1:1)')
  })

  test('a field named __proto__ is a field', () => {
    const fields = JSON.parse('{ "__proto__": 1, "a": 2 }') as LogFields
    expect(Object.keys(mergeFields(fields, {}))).toEqual(['__proto__', 'a'])
  })
})
