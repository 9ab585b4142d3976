/**
 * Instances that were asked to stop and are still given time: those whose time runs, all together, and those that were
 * asked meanwhile, whose time begins when the other has ended. One timer for a whole shard, and nothing kept per entity.
 */
import type { EntityId } from '../shard-id.ts'

interface Asked {
  readonly entityId: EntityId
  readonly instance: number
}

export class StopGrace {
  #isRunning = false
  #due: Asked[] = []
  #later: Asked[] = []

  asked({ entityId, instance }: Asked): void {
    this.#later.push({ entityId, instance })
  }

  /** Whether the time of those asked lately begins now. */
  begins(): boolean {
    if (this.#isRunning || this.#later.length === 0) return false
    this.#isRunning = true
    this.#due = this.#later
    this.#later = []
    return true
  }

  /** All that wait get one time, which has not begun. */
  beginAnew(): void {
    this.#later = [...this.#due, ...this.#later]
    this.#due = []
    this.#isRunning = false
  }

  /** Whether some have time left, or are still to be named by `ends`. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** Whose time is over, at most so many: the others by further calls, before anybody's time begins. */
  ends(max = Infinity): readonly Asked[] {
    const ended = this.#due.splice(0, max)
    this.#isRunning = this.#due.length > 0
    return ended
  }
}
