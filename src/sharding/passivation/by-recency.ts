/**
 * Asks only when an entity was used last. The one unused for longest goes first, for traffic in which what was used lately is
 * used again soon; or the one used just now, for loops over more entities than there is room for, in which it comes again last.
 */
import type { RecencyList, RecencyLists } from './recency-lists.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { noSeat, type Seat } from './seat.ts'

export class ByRecency implements ReplacementPolicy {
  readonly #goesFirst: 'oldest' | 'newest'
  readonly #lists: RecencyLists
  readonly #list: RecencyList

  constructor(lists: RecencyLists, goesFirst: 'oldest' | 'newest') {
    this.#goesFirst = goesFirst
    this.#lists = lists
    this.#list = lists.make(this)
  }

  get size(): number {
    return this.#list.size
  }

  [Symbol.iterator](): IterableIterator<Seat> {
    return this.#list[Symbol.iterator]()
  }

  setLimit(): void {
    // Nothing is divided here.
  }

  has(seat: Seat): boolean {
    return this.#list.has(seat)
  }

  add(seat: Seat): void {
    this.#list.add(seat)
  }

  touch(seats: Int32Array, from: number, to: number): void {
    const list = this.#list
    const begin = this.#lists.lastUses(seats, from, to)
    for (let index = begin; index < to; index++) list.touch(seats[index] as Seat)
  }

  remove(seat: Seat): void {
    this.#list.remove(seat)
  }

  peek(): Seat {
    return this.#goesFirst === 'oldest' ? this.#list.oldest : this.#list.newest
  }

  evict(): Seat {
    const victim = this.peek()
    if (victim !== noSeat) this.#list.remove(victim)
    return victim
  }
}
