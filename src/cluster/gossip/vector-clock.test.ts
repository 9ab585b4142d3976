import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type VectorClock,
  changesBy,
  compareClocks,
  emptyClock,
  mergeClocks,
  pruneClock,
  tick,
} from './vector-clock.ts'

/** A word is the nodes that made changes, in order. */
const clock = (word: string, from: VectorClock = emptyClock) => word.split('').reduce(tick, from)
const words = fc.stringMatching(/^[1-5]{0,12}$/)

describe('CL-017 V-15 vector clocks', () => {
  test.each([
    ['', '', 'same'],
    ['121', '121', 'same'],
    ['121', '1213', 'before'],
    ['1213', '121', 'after'],
    ['1', '2', 'concurrent'],
    ['121', '113', 'concurrent'],
    ['22', '1223', 'before'],
    ['12', '11', 'concurrent'],
    ['1223', '12222', 'concurrent'],
    ['133', '132', 'concurrent'],
    ['', '1', 'before'],
  ])('%s against %s is %s', (a, b, order) => {
    expect(compareClocks(clock(a), clock(b))).toBe(order)
  })

  test('merge to what comes after both', () => {
    const merged = mergeClocks(clock('1223'), clock('12222'))
    expect(merged).toHaveLength(3)
    expect(merged).toEqual(mergeClocks(clock('12222'), clock('1223')))
    expect(compareClocks(merged, clock('1223'))).toBe('after')
    expect(compareClocks(merged, clock('12222'))).toBe('after')
    expect(mergeClocks(clock('1223'), clock('44'))).toHaveLength(4)
  })

  test('forget a pruned node', () => {
    const merged = mergeClocks(clock('1'), clock('2'))
    const pruned = tick(pruneClock(merged, new Set(['1'])), '3')
    expect(changesBy(pruned, '1')).toBe(0)
    expect(compareClocks(pruned, merged)).toBe('concurrent')
  })

  test('keep the laws of a lattice, byte by byte', () => {
    fc.assert(
      fc.property(words, words, words, (x, y, z) => {
        const [a, b, c] = [clock(x), clock(y), clock(z)]
        expect(JSON.stringify(mergeClocks(a, b))).toBe(JSON.stringify(mergeClocks(b, a)))
        expect(mergeClocks(mergeClocks(a, b), c)).toEqual(mergeClocks(a, mergeClocks(b, c)))
        expect(mergeClocks(a, a)).toEqual(a)
        expect(['same', 'after']).toContain(compareClocks(mergeClocks(a, b), a))
        expect(compareClocks(tick(a, '1'), a)).toBe('after')
      }),
    )
  })

  test('are the same bytes in whatever order the changes came', () => {
    fc.assert(
      fc.property(words, (word) => {
        const sorted = word.split('').sort().join('')
        expect(JSON.stringify(clock(word))).toBe(JSON.stringify(clock(sorted)))
      }),
    )
  })
})
