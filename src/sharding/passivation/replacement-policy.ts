/**
 * Who goes first when there are too many. A policy keeps its entities in the order in which they go; how many it may keep is
 * for whoever asks it. Everything takes the same short time however many there are, unless the policy says otherwise.
 */
import type { Seat } from './seat.ts'

export interface ReplacementPolicy extends Iterable<Seat> {
  readonly size: number
  /** For policies that divide what they may keep. Nobody goes by this alone. */
  setLimit(limit: number): void
  has(seat: Seat): boolean
  /** One that was not here before this use. There must be room. */
  add(seat: Seat): void
  /** Further uses of some that are here, in order: the seats between these indexes, where they may change places. */
  touch(seats: Int32Array, from: number, to: number): void
  /** It has ended, or was asked to stop for another reason. */
  remove(seat: Seat): void
  /** Who would go next; `noSeat` when nobody is here. */
  peek(): Seat
  /** Takes out who goes next. */
  evict(): Seat
}
