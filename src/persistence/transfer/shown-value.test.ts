import { describe, expect, test } from 'vitest'
import { ValueCodec } from '../../serialization/internals.ts'
import { lineOf, shown } from './shown-value.ts'

const codec = new ValueCodec({ use: 'stored' })

function seen(value: unknown): unknown {
  return JSON.parse(lineOf(shown(codec.encode(value))))
}

describe('a stored value', () => {
  test.each<[unknown, unknown]>([
    [
      { a: [1, null, true, 'x'], b: {} },
      { a: [1, null, true, 'x'], b: {} },
    ],
    [undefined, { $undefined: true }],
    [{ a: undefined }, { a: { $undefined: true } }],
    [12n ** 30n, { $bigint: `${12n ** 30n}` }],
    [
      [NaN, -Infinity, -0, 0],
      [{ $number: 'NaN' }, { $number: '-Infinity' }, { $number: '-0' }, 0],
    ],
    [new Date(0), { $date: '1970-01-01T00:00:00.000Z' }],
    [new Map([['k', new Set([1n])]]), { $map: [['k', { $set: [{ $bigint: '1' }] }]] }],
    [new Uint8Array([1, 2, 255]), { $bytes: 'AQL/' }],
    [new TypeError('no'), { $error: 'TypeError: no' }],
  ])('%o is shown as JSON', (value, expected) => {
    expect(seen(value)).toEqual({ value: expected })
  })

  test('is printed on one line with nothing in it that a terminal would obey', () => {
    const text = 'a\n\u001b[31m\u009b\u202e\u2028'
    const line = lineOf(shown(codec.encode(text)))
    expect(line).toMatch(/^[\x20-\x7e]*$/)
    expect(JSON.parse(line)).toEqual({ value: text })
  })

  test('that cannot be read is shown as its bytes, with the reason', () => {
    const { base64, problem } = shown(Buffer.from([0xc1])) as { base64: string; problem: string }
    expect([base64, problem]).toEqual(['wQ==', expect.stringMatching(/^Cannot read the value/)])
  })
})
