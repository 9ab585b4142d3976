/**
 * Which entities of one shard have to rest so that no more are active than may be. Nobody has to go because of a use of an
 * entity that is here: only a new one, or a smaller limit, makes it too many.
 */
import type { EntityId } from '../shard-id.ts'
import type { Seat } from './seat.ts'

/** Those that have to rest, in this order; they are not tracked any more. */
export type Victims = readonly Seat[]

export const nobody: readonly Seat[] = []

export interface PassivationStrategy {
  /** How many are tracked. */
  readonly size: number
  /** A new limit, of at least 1. */
  setLimit(limit: number): Victims
  /** So many places are taken by entities that were asked to stop, and do not; one place is always left. */
  reserve(places: number): Victims
  /** One more is active. It may have to go at once: when it was not thought worth a place. */
  add(seat: Seat, entityId: EntityId): Victims
  /** Messages for those that are tracked, in order: the first `count` of these seats, which may change places. */
  touch(seats: Int32Array, count: number): void
  /** It has ended, or stops for another reason. */
  remove(seat: Seat): void
}
