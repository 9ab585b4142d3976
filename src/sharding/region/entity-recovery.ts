/**
 * Starts the remembered entities of the shards of one region: one queue over all of them, a part at a time. All at once means
 * that no part waits for anything but a turn of the event loop.
 */
import type { Timer, Timers } from '../../foundation/timers.ts'
import type { ShardingSettings } from '../sharding-settings.ts'

/** Some milliseconds of work. */
const startedInATurn = 250

export interface RecoveringShard {
  /** Starts the next ones. False when there are none left for now. */
  recover(count: number): boolean
}

export class EntityRecovery {
  readonly #timers: Timers
  readonly #part: number
  readonly #pauseMs: number
  readonly #queue = new Set<RecoveringShard>()
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
    const [shard] = this.#queue
    if (shard === undefined) return
    if (!shard.recover(this.#part)) this.#queue.delete(shard)
    if (this.#queue.size > 0) this.#timer ??= this.#timers.after(this.#pauseMs, () => this.#turn())
  }
}
