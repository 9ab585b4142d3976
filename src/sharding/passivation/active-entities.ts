/**
 * The active entities of one shard under a limit, and who has to rest so that it holds. Uses are only noted, and told to the
 * strategy some at a time, in order, and before it decides anything: told one by one, each would wait for other memory.
 *
 * Invariants: every entity that takes messages is tracked; one that was asked to stop is not. One that was asked and has
 * not stopped in good time takes a place until it has ended, so that those that never stop do not let the memory grow. What
 * falls due while the node is frozen is done when it is not frozen any more.
 */
import { nobody, type PassivationStrategy, type Victims } from './passivation-strategy.ts'
import type { Tracked } from './tracked.ts'

/** Uses that are noted before the strategy hears of them. */
const notedMax = 64

export class ActiveEntities {
  readonly #strategy: PassivationStrategy
  readonly #noted: (Tracked | undefined)[] = Array.from({ length: notedMax }, () => undefined)
  #notedCount = 0
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

  /** The hot path: a message for an entity that is tracked. */
  touch(tracked: Tracked): void {
    this.#noted[this.#notedCount++] = tracked
    if (this.#notedCount === notedMax) this.#tellUses()
  }

  /** It takes messages from now on. */
  add(tracked: Tracked): Victims {
    this.#tellUses()
    return this.#strategy.add(tracked)
  }

  /** It is asked to stop, or has stopped by itself. */
  remove(tracked: Tracked): void {
    // Who had to go is out already, and was not used since.
    if (tracked.list === undefined) return
    this.#tellUses()
    this.#strategy.remove(tracked)
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
    const isAsItWas = !this.#isLimitDue && this.#reserved === this.#overstaying.size
    if (isAsItWas) return nobody
    this.#tellUses()
    const byLimit = this.#isLimitDue ? this.#strategy.setLimit(this.#limit) : nobody
    this.#isLimitDue = false
    if (this.#reserved === this.#overstaying.size) return byLimit
    this.#reserved = this.#overstaying.size
    return [...byLimit, ...this.#strategy.reserve(this.#reserved)]
  }

  #tellUses(): void {
    const count = this.#notedCount
    this.#notedCount = 0
    for (let index = 0; index < count; index++) this.#strategy.touch(this.#noted[index] as Tracked)
  }
}
