/**
 * Starts the remembered entities of the shards of one region: one queue over all of them, a part at a time. All at once means
 * that no part waits for anything but a turn of the event loop.
 *
 * Invariants: between two parts is always a pause, also when the queue was empty meanwhile; one shard is done before the next
 * begins. Without a rate, shards with few share a part.
 */
import type { Timer, Timers } from '../../foundation/timers.ts'
import type { ShardingSettings } from '../sharding-settings.ts'

/** Some milliseconds of work. */
const startedInATurn = 250

export interface RecoveringShard {
  /** Starts the next ones, and says how many; fewer than `count` when none are left for now. */
  recover(count: number): number
}

export class EntityRecovery {
  readonly #timers: Timers
  readonly #part: number
  readonly #pauseMs: number
  readonly #queue = new Set<RecoveringShard>()
  /** Runs while shards wait, and for one pause longer. */
  #timer: Timer | undefined

  constructor(
    timers: Timers,
    settings: Pick<ShardingSettings, 'entityRecoveryEntitiesMax' | 'entityRecoveryIntervalMs'>,
  ) {
    const { entityRecoveryEntitiesMax: max, entityRecoveryIntervalMs } = settings
    this.#timers = timers
    this.#part = Math.min(max, max === Infinity ? startedInATurn : max)
    this.#pauseMs = max === Infinity ? 0 : entityRecoveryIntervalMs
  }

  add(shard: RecoveringShard): void {
    this.#queue.add(shard)
    this.#timer ??= this.#timers.after(0, () => this.#turn())
  }

  remove(shard: RecoveringShard): void {
    this.#queue.delete(shard)
  }

  cancel(): void {
    this.#timer?.cancel()
    this.#queue.clear()
  }

  #turn(): void {
    this.#timer = undefined
    if (this.#queue.size === 0) return
    // First: whatever comes of the starts finds the pause begun.
    this.#timer = this.#timers.after(this.#pauseMs, () => this.#turn())
    for (let left = this.#part; left > 0;) {
      const [shard] = this.#queue
      if (shard === undefined) return
      const started = shard.recover(left)
      if (started === left) return
      this.#queue.delete(shard)
      // At a rate, the next shard begins after the pause.
      if (started > 0 && this.#pauseMs > 0) return
      left -= started
    }
  }
}
