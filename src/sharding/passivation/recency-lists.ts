/**
 * Seats by the last use of who has them, in lists that share one table: taking in, moving and removing take the same short time
 * however many there are, and allocate nothing. An entity is in one list at a time.
 */
import { assert } from '../../foundation/assert.ts'
import type { ReplacementPolicy } from './replacement-policy.ts'
import { noSeat, type Seat, withRoomFor } from './seat.ts'

/** Numbers of the table for each seat: who was used before it and who after it, the list that it is in, and see `lastUses`. */
const perSeat = 4
const older = 0
const newer = 1
const list = 2
const seen = 3
const noList = 0

/** All lists of one strategy. */
export class RecencyLists {
  table: Int32Array = new Int32Array(8 * perSeat)
  /** By number; `noList` is none of them. */
  readonly #lists: (RecencyList | undefined)[] = [undefined]
  #looks = 0

  make(owner: ReplacementPolicy, rank = 0): RecencyList {
    const made = new RecencyList(this, this.#lists.length, owner)
    made.rank = rank
    this.#lists.push(made)
    return made
  }

  /** The list of somebody who is in one. */
  of(seat: Seat): RecencyList {
    return this.#lists[this.table[seat * perSeat + list] as number] as RecencyList
  }

  /**
   * Of uses in order keeps the last one of each seat: whatever was before it leaves no trace in lists by last use. They are
   * moved to the end; answers where they begin.
   */
  lastUses(seats: Int32Array, from: number, to: number): number {
    const { table } = this
    // As the table would keep it.
    const look = (this.#looks = (this.#looks + 1) | 0)
    let begin = to
    for (let index = to - 1; index >= from; index--) {
      const seat = seats[index] as Seat
      const at = seat * perSeat + seen
      if (table[at] === look) continue
      table[at] = look
      seats[--begin] = seat
    }
    return begin
  }
}

export class RecencyList {
  readonly #all: RecencyLists
  readonly #number: number
  readonly owner: ReplacementPolicy
  /** These three are for lists that stand in an order. */
  rank = 0
  lower: RecencyList | undefined
  higher: RecencyList | undefined
  oldest: Seat = noSeat
  newest: Seat = noSeat
  size = 0

  constructor(all: RecencyLists, number: number, owner: ReplacementPolicy) {
    this.#all = all
    this.#number = number
    this.owner = owner
  }

  /** As the one used last. */
  add(seat: Seat): void {
    const at = seat * perSeat
    const table = withRoomFor(this.#all.table, at + perSeat)
    this.#all.table = table
    assert(table[at + list] === noList, 'an entity is in one list at a time')
    table[at + list] = this.#number
    this.size++
    this.#append(table, seat)
  }

  has(seat: Seat): boolean {
    return this.#all.table[seat * perSeat + list] === this.#number
  }

  remove(seat: Seat): void {
    const { table } = this.#all
    const at = seat * perSeat
    assert(table[at + list] === this.#number, 'an entity is removed from the list that it is in')
    table[at + list] = noList
    this.size--
    this.#unlink(table, seat)
  }

  /** It is the one used last from now on. */
  touch(seat: Seat): void {
    if (this.newest === seat) return
    const { table } = this.#all
    this.#unlink(table, seat)
    this.#append(table, seat)
  }

  /** From the one that was not used for the longest time on. */
  *[Symbol.iterator](): IterableIterator<Seat> {
    for (let seat = this.oldest; seat !== noSeat;) {
      yield seat
      seat = this.#all.table[seat * perSeat + newer] as Seat
    }
  }

  #append(table: Int32Array, seat: Seat): void {
    const { newest } = this
    const at = seat * perSeat
    table[at + older] = newest
    table[at + newer] = noSeat
    if (newest === noSeat) this.oldest = seat
    else table[newest * perSeat + newer] = seat
    this.newest = seat
  }

  #unlink(table: Int32Array, seat: Seat): void {
    const before = table[seat * perSeat + older] as Seat
    const after = table[seat * perSeat + newer] as Seat
    if (before === noSeat) this.oldest = after
    else table[before * perSeat + newer] = after
    if (after === noSeat) this.newest = before
    else table[after * perSeat + older] = before
  }
}
