import { describe, expect, test } from 'vitest'
import {
  areOnOneHost,
  identityOf,
  isGone,
  isRunning,
  namedHost,
  type ProcessTable,
  type SeenProcess,
} from './process-identity.ts'

const table = (parts: Partial<ProcessTable> = {}): ProcessTable => ({
  ...{ host: 'here', pid: 7, start: '700', see: () => 'none' },
  ...parts,
})

const seeing = (processes: Record<number, SeenProcess>): ProcessTable =>
  table({ see: (pid) => processes[pid] ?? 'none' })

describe('identityOf', () => {
  test('names host, number and start', () => {
    expect(identityOf(table())).toBe('here 7 700')
  })

  test('is undefined when one of them is not known, or when it would be unreadable', () => {
    const odd = [{ host: undefined }, { start: undefined }, { start: '' }, { host: 'a b' }]
    for (const parts of [...odd, { host: 'x'.repeat(200) }]) {
      expect(identityOf(table(parts))).toBe(undefined)
    }
  })
})

describe('isGone', () => {
  test('is true when no process has the number, or one that was started at another time', () => {
    const sees = seeing({ 7: { start: '700' }, 8: { start: '801' } })
    expect(isGone(sees, 'here 9 900')).toBe(true)
    expect(isGone(sees, 'here 8 800')).toBe(true)
  })

  test('is false for a process that is there', () => {
    const sees = seeing({ 7: { start: '700' }, 8: { start: '801' } })
    expect(isGone(sees, 'here 8 801')).toBe(false)
    expect(isGone(sees, 'here 7 700')).toBe(false)
  })

  test('is false where nobody can tell: another host, no host, a start that cannot be read', () => {
    expect(isGone(table(), 'elsewhere 9 900')).toBe(false)
    expect(isGone(table({ host: undefined }), 'here 9 900')).toBe(false)
    expect(isGone(table({ host: undefined }), 'undefined 9 900')).toBe(false)
    expect(isGone(seeing({ 9: 'unknown' }), 'here 9 900')).toBe(false)
  })

  test('is false for what is no identity', () => {
    const strange = ['', 'here', 'here 9', 'here 0 1', 'here -1 1', 'here 9 900 1', ' here 9 900']
    for (const text of [...strange, 'here 9 900\n', 'here 99999999999 1', 'here 9.5 1']) {
      expect({ text, isGone: isGone(table(), text) }).toEqual({ text, isGone: false })
    }
  })
})

describe('isRunning', () => {
  test('is true only for a process that is seen with the same start', () => {
    const sees = seeing({ 8: { start: '801' }, 9: 'unknown' })
    expect(isRunning(sees, 'here 8 801')).toBe(true)
    for (const identity of ['here 8 800', 'here 9 900', 'here 5 1', 'elsewhere 8 801', '']) {
      expect(isRunning(sees, identity)).toBe(false)
    }
  })
})

describe('areOnOneHost', () => {
  test('is true of two processes that see each other under the same numbers', () => {
    expect(areOnOneHost('here 7 700', 'here 8 800')).toBe(true)
    expect(areOnOneHost('here 7 700', 'there 7 700')).toBe(false)
  })

  test('is false where a host is known by its name alone: another may have the same', () => {
    expect(areOnOneHost(`${namedHost}laptop 7 700`, `${namedHost}laptop 8 800`)).toBe(false)
    expect(areOnOneHost('here', 'here')).toBe(false)
    expect(areOnOneHost(' 7 700', ' 8 800')).toBe(false)
  })
})
