import { describe, expect, test } from 'vitest'
import { Ledger } from './ledger.ts'

describe('Ledger', () => {
  const withLetter = (): Ledger => {
    const ledger = new Ledger()
    ledger.sent('a')
    return ledger
  }

  test('balances when every letter is answered or accounted for', () => {
    const ledger = withLetter()
    ledger.taken('a')
    ledger.answered('a')
    ledger.sent('b')
    ledger.lost({ type: 'Job', letter: 'b' }, 'terminated')
    ledger.lost({ type: 'Tick' }, 'terminated')
    ledger.lost(null, 'terminated')
    expect(ledger.problems()).toEqual([])
    expect(ledger.lines()).toEqual(['a: 1 answered, ', 'b: 0 answered, terminated'])
  })

  test('finds letters that vanish, are taken up or answered twice', () => {
    const ledger = withLetter()
    expect(ledger.problems()).toEqual(['a has vanished without a record'])
    for (let n = 0; n < 2; n++) {
      ledger.taken('a')
      ledger.answered('a')
    }
    expect(ledger.problems()).toEqual(['a was taken up 2 times', 'a was answered 2 times'])
  })

  test('refuses names that are used twice or never', () => {
    expect(() => withLetter().sent('a')).toThrow('sent twice')
    expect(() => new Ledger().answered('a')).toThrow('never sent')
  })
})
