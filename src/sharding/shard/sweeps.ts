/** Counts the looks at all entities of a shard, by which it knows for how long one has had no message, or was asked to stop. */
import type { ShardingSettings } from '../sharding-settings.ts'

interface Touched {
  readonly touched: number
}

export class Sweeps {
  /** Outlasted after the one that first finds an entity idle. */
  readonly #idleSweeps: number
  readonly #forceSweeps: number
  #now = 0

  constructor(settings: ShardingSettings) {
    const { passivateIdleAfterMs, passivationSweepIntervalMs, passivationTimeoutMs } = settings
    this.#idleSweeps = Math.ceil(passivateIdleAfterMs / passivationSweepIntervalMs)
    this.#forceSweeps = Math.ceil(passivationTimeoutMs / passivationSweepIntervalMs)
  }

  /** How many there were. */
  get now(): number {
    return this.#now
  }

  next(): void {
    this.#now++
  }

  /** It has had no message for long enough. */
  isIdle({ touched }: Touched): boolean {
    return this.#now - touched > this.#idleSweeps
  }

  /** It was asked to stop too long ago. True once. */
  isOverdue({ touched }: Touched): boolean {
    return this.#now - touched === this.#forceSweeps + 1
  }
}
