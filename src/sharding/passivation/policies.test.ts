import { describe, expect, test } from 'vitest'
import { ByRecency } from './by-recency.ts'
import { LeastFrequentlyUsed } from './least-frequently-used.ts'
import { RecencyLists } from './recency-lists.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { noSeat, type Seat } from './seat.ts'
import { SegmentedRecency } from './segmented-recency.ts'

/** A policy that is spoken to by letters: who is not here is taken in. */
class Letters<Policy extends ReplacementPolicy> {
  readonly policy: Policy
  readonly #seats = new Map<string, Seat>()

  constructor(make: (lists: RecencyLists) => Policy) {
    this.policy = make(new RecencyLists())
  }

  touch(letters: string): this {
    for (const letter of letters) {
      const seat = this.#seats.get(letter)
      if (seat !== undefined) this.policy.touch(Int32Array.of(seat), 0, 1)
      else {
        this.#seats.set(letter, seatOf(letter))
        this.policy.add(seatOf(letter))
      }
    }
    return this
  }

  remove(letters: string): this {
    for (const letter of letters) {
      const seat = this.#seats.get(letter)
      if (seat !== undefined) this.policy.remove(seat)
      this.#seats.delete(letter)
    }
    return this
  }

  evict(count: number): string {
    let evicted = ''
    for (let turn = 0; turn < count; turn++) {
      const letter = letterOf(this.policy.evict())
      this.#seats.delete(letter)
      evicted += letter
    }
    return evicted
  }

  get order(): string {
    return lettersOf(this.policy)
  }
}

/** a has seat 1; - is nobody. */
const seatOf = (letter: string): Seat => letter.charCodeAt(0) - 96
const letterOf = (seat: Seat): string => (seat === noSeat ? '-' : String.fromCharCode(seat + 96))
const lettersOf = (seats: Iterable<Seat>): string => Array.from(seats, letterOf).join('')

describe('by last use', () => {
  test('keeps the order of uses', () => {
    const letters = new Letters((lists) => new ByRecency(lists, 'oldest'))
    expect(letters.touch('a').touch('bc').touch('ac').order).toBe('bac')
    expect(letters.touch('defg').order).toBe('bacdefg')
    expect(letters.touch('cf').order).toBe('badegcf')
    expect(letters.remove('dgbf').order).toBe('aec')
    expect(letters.touch('ehij').order).toBe('acehij')
    expect(letters.evict(3)).toBe('ace')
    expect(letters.touch('klmi').order).toBe('hjklmi')
    expect(letters.policy.size).toBe(6)
  })

  test('gives the one used last first, when that is the policy', () => {
    const letters = new Letters((lists) => new ByRecency(lists, 'newest'))
    letters.touch('hjklmi').touch('k')
    expect(letters.evict(3)).toBe('kim')
    expect(letters.evict(4)).toBe('ljh-')
  })
})

describe('in segments', () => {
  const segmentsOf = ({ policy }: Letters<SegmentedRecency>): string[] =>
    policy.segments.map(lettersOf)

  /** Down to all limits together. */
  const shrink = (letters: Letters<SegmentedRecency>, limits: readonly number[]): string => {
    letters.policy.setLimits(limits)
    const most = limits.reduce((sum, each) => sum + each, 0)
    return letters.evict(Math.max(0, letters.policy.size - most))
  }

  test('two: each use lifts by one, and what is too many above comes down', () => {
    const letters = new Letters((lists) => new SegmentedRecency(lists, [0.4, 0.6]))
    letters.policy.setLimits([2, 3])
    expect(shrink(letters.touch('abcdef'), [2, 3])).toBe('a')
    expect(segmentsOf(letters.touch('abcd'))).toEqual(['efa', 'bcd'])
    expect(shrink(letters, [2, 3])).toBe('e')
    expect(segmentsOf(letters.touch('a'))).toEqual(['fb', 'cda'])
    expect(shrink(letters, [2, 3])).toBe('')
    expect(segmentsOf(letters.touch('abcdefg'))).toEqual(['aebg', 'cdf'])
    expect(shrink(letters, [2, 3])).toBe('ae')
  })

  test('four', () => {
    const limits = [4, 3, 2, 1]
    const letters = new Letters((lists) => new SegmentedRecency(lists, [0.4, 0.3, 0.2, 0.1]))
    letters.policy.setLimit(10)
    expect(shrink(letters.touch('abcdefghijkl'), limits)).toBe('ab')
    expect(segmentsOf(letters.touch('bdfhjl'))).toEqual(['cegikbdf', 'hjl', '', ''])
    expect(segmentsOf(letters.touch('hijklm'))).toEqual(['cegbdfm', 'ikh', 'jl', ''])
    expect(shrink(letters, limits)).toBe('ce')
    expect(segmentsOf(letters.touch('jklmnop'))).toEqual(['gbdfnop', 'ihm', 'kj', 'l'])
    expect(shrink(letters, limits)).toBe('gbd')
  })

  test('a smaller limit empties the upper ones first', () => {
    const letters = new Letters((lists) => new SegmentedRecency(lists, [0.2, 0.8]))
    letters.policy.setLimit(10)
    letters.touch('abcdefghijkl').touch('abcdefghijkl')
    expect(segmentsOf(letters)).toEqual(['abcd', 'efghijkl'])
    expect(letters.evict(2)).toBe('ab')
    expect(shrink(letters, [1, 4])).toBe('cdefg')
    expect(segmentsOf(letters)).toEqual(['h', 'ijkl'])
  })
})

describe('by number of uses', () => {
  test('keeps the order of uses among those with the same number', () => {
    const letters = new Letters((lists) => new LeastFrequentlyUsed(lists))
    expect(letters.touch('a').touch('bc').order).toBe('abc')
    expect(letters.touch('ac').order).toBe('bac')
    expect(letters.touch('defg').order).toBe('bdefgac')
    expect(letters.touch('cf').order).toBe('bdegafc')
    expect(letters.remove('dgbf').order).toBe('eac')
    expect(letters.touch('ehi').order).toBe('hiaec')
    expect(letters.evict(3)).toBe('hia')
    expect(letters.touch('jklm').order).toBe('jklmec')
    expect(letters.remove('jkm').touch('nopeol').order).toBe('npolce')
    expect(letters.policy.age).toBe(0)
  })

  test('with aging, newcomers begin where the last one had to go', () => {
    const letters = new Letters((lists) => new LeastFrequentlyUsed(lists, { dynamicAging: true }))
    letters.touch('aaab')
    expect(letters.evict(1)).toBe('b')
    expect(letters.policy.age).toBe(1)
    // c has 2 and a 3, then c has 3 as well; a use lifts by the age too.
    expect(letters.touch('c').order).toBe('ca')
    expect(letters.touch('c').order).toBe('ac')
    expect(letters.touch('a').order).toBe('ca')
    letters.remove('c')
    expect(letters.policy.age).toBe(1)
    expect(letters.evict(1)).toBe('a')
    expect(letters.policy.age).toBe(5)
  })
})
