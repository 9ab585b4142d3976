/**
 * Several lists by last use, one above the other. An entity begins in the lowest, and each further use lifts it by one; a list
 * with too many gives its oldest to the list below, and who goes, goes from the lowest. So entities that are used once push out
 * each other, and not those that were used again.
 */
import { assert } from '../../foundation/assert.ts'
import type { RecencyList, RecencyLists } from './recency-lists.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { noSeat, type Seat } from './seat.ts'

export class SegmentedRecency implements ReplacementPolicy {
  readonly #lists: RecencyLists
  readonly #proportions: readonly number[]
  readonly #segments: readonly RecencyList[]
  /** How many each segment may keep; what the lowest has more goes when there is no room. */
  #limits: readonly number[]
  #size = 0

  /** A share of the limit for each segment, the lowest first. */
  constructor(lists: RecencyLists, proportions: readonly number[]) {
    this.#lists = lists
    this.#proportions = proportions
    this.#segments = proportions.map((_, level) => lists.make(this, level))
    this.#limits = proportions.map(() => 0)
  }

  get size(): number {
    return this.#size
  }

  /** By segment, the lowest first; in each from the oldest on. */
  get segments(): readonly (readonly Seat[])[] {
    return this.#segments.map((segment) => [...segment])
  }

  *[Symbol.iterator](): IterableIterator<Seat> {
    for (const segment of this.#segments) yield* segment
  }

  /** Whole places for all but the lowest, and what is left for that. */
  setLimit(limit: number): void {
    const higher = this.#proportions.slice(1).map((proportion) => Math.floor(proportion * limit))
    this.setLimits([limit - higher.reduce((sum, each) => sum + each, 0), ...higher])
  }

  setLimits(limits: readonly number[]): void {
    assert(limits.length === this.#segments.length, 'every segment has its limit')
    this.#limits = limits
  }

  has(seat: Seat): boolean {
    return this.#lists.of(seat).owner === this
  }

  add(seat: Seat): void {
    this.#segmentAt(0).add(seat)
    this.#size++
  }

  touch(seats: Int32Array, from: number, to: number): void {
    const highest = this.#segmentAt(this.#segments.length - 1)
    let begin = from
    for (let index = from; index < to; index++) {
      const seat = seats[index] as Seat
      if (highest.has(seat)) continue
      // What is lifted may push another one down: who that is depends on all uses so far.
      this.#touchHighest(highest, seats, begin, index)
      this.#lift(seat)
      begin = index + 1
    }
    this.#touchHighest(highest, seats, begin, to)
  }

  #touchHighest(highest: RecencyList, seats: Int32Array, from: number, to: number): void {
    if (from === to) return
    const begin = this.#lists.lastUses(seats, from, to)
    for (let index = begin; index < to; index++) highest.touch(seats[index] as Seat)
  }

  #lift(seat: Seat): void {
    const segment = this.#lists.of(seat)
    const above = this.#segmentAt(segment.rank + 1)
    segment.remove(seat)
    above.add(seat)
    if (above.size > this.#limitOf(above)) demote(above, segment)
  }

  remove(seat: Seat): void {
    this.#lists.of(seat).remove(seat)
    this.#size--
  }

  peek(): Seat {
    this.#shrinkHigher()
    return this.#segmentAt(0).oldest
  }

  evict(): Seat {
    const victim = this.peek()
    if (victim !== noSeat) this.remove(victim)
    return victim
  }

  /** After the limit became smaller; from the top, so that what one gives down is passed on by the next. */
  #shrinkHigher(): void {
    for (let level = this.#segments.length - 1; level > 0; level--) {
      const segment = this.#segmentAt(level)
      while (segment.size > this.#limitOf(segment)) demote(segment, this.#segmentAt(level - 1))
    }
  }

  #segmentAt(level: number): RecencyList {
    return this.#segments[level] as RecencyList
  }

  #limitOf({ rank }: RecencyList): number {
    return this.#limits[rank] as number
  }
}

function demote(from: RecencyList, to: RecencyList): void {
  const { oldest } = from
  assert(oldest !== noSeat, 'a segment with too many is not empty')
  from.remove(oldest)
  to.add(oldest)
}
