/**
 * The active entities of one shard under a limit, and who has to rest so that it holds.
 *
 * Invariants: every entity that takes messages is tracked; one that was asked to stop is not. One that was asked and has
 * not stopped in good time takes a place until it has ended, so that those that never stop do not let the memory grow. What
 * falls due while the node is frozen is done when it is not frozen any more.
 */
import type { EntityId } from '../shard-id.ts'
import { nobody, type PassivationStrategy, type Victims } from './passivation-strategy.ts'
import type { Seat } from './seat.ts'

export class ActiveEntities {
  readonly #strategy: PassivationStrategy
  /** Instances that have not stopped in good time. */
  readonly #overstaying = new Set<number>()
  #limit: number
  #isLimitDue = false
  #reserved = 0

  constructor(strategy: PassivationStrategy, limit: number) {
    this.#strategy = strategy
    this.#limit = limit
    strategy.setLimit(limit)
  }

  /** Messages for entities that are tracked, in order: the first `count` of these seats, which may change places. */
  touch(seats: Int32Array, count: number): void {
    this.#strategy.touch(seats, count)
  }

  /** It takes messages from now on. Answers who has to rest for it; maybe it itself. */
  add(seat: Seat, entityId: EntityId): Victims {
    return this.#strategy.add(seat, entityId)
  }

  /** It is asked to stop, or has stopped by itself. */
  remove(seat: Seat): void {
    this.#strategy.remove(seat)
  }

  /** Nobody goes by this alone: see `settle`. */
  limitTo(limit: number): void {
    if (limit === this.#limit) return
    this.#limit = limit
    this.#isLimitDue = true
  }

  overstays(instance: number): void {
    this.#overstaying.add(instance)
  }

  ended(instance: number): void {
    this.#overstaying.delete(instance)
  }

  /** Who has to rest, by what changed since it was asked last. */
  settle(): Victims {
    const byLimit = this.#isLimitDue ? this.#strategy.setLimit(this.#limit) : nobody
    this.#isLimitDue = false
    if (this.#reserved === this.#overstaying.size) return byLimit
    this.#reserved = this.#overstaying.size
    return [...byLimit, ...this.#strategy.reserve(this.#reserved)]
  }
}
