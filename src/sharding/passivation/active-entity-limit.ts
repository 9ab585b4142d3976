/** The limit of one region, and what each of its shards may have of it: as much as every other, and at least one. */
import { ActiveEntities } from './active-entities.ts'
import { makeStrategy } from './make-strategy.ts'
import type { LimitedPassivation } from './passivation-options.ts'

export class ActiveEntityLimit {
  readonly #limited: LimitedPassivation
  #perRegion: number
  #shards = 0
  /** What the shards know of it. */
  #told: number | undefined

  constructor(limited: LimitedPassivation) {
    this.#limited = limited
    this.#perRegion = limited.activeEntityLimit
  }

  /** Of one shard. */
  activeEntities(): ActiveEntities {
    return new ActiveEntities(makeStrategy(this.#limited), this.perShard)
  }

  get perRegion(): number {
    return this.#perRegion
  }

  /** Whole entities; more shards than the limit allows have one each. */
  get perShard(): number {
    return Math.max(1, Math.floor(this.#perRegion / Math.max(1, this.#shards)))
  }

  /**
   * What the shards are to be told now; undefined where they know. With many shards the next one seldom changes it, and telling
   * all of them each time would be a square.
   */
  changed(): number | undefined {
    const { perShard } = this
    if (perShard === this.#told) return undefined
    this.#told = perShard
    return perShard
  }

  /** Holds for shards that come later as well. */
  set(perRegion: number): void {
    this.#perRegion = perRegion
  }

  shardStarted(): void {
    this.#shards++
  }

  shardStopped(): void {
    this.#shards--
  }
}
