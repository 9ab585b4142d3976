/** The limit of one region, and what each of its shards may have of it: as much as every other, and at least one. */
import { ActiveEntities } from './active-entities.ts'
import { makeStrategy } from './make-strategy.ts'
import type { LimitedPassivation } from './passivation-options.ts'

export class ActiveEntityLimit {
  readonly #limited: LimitedPassivation
  #perRegion: number
  #shards = 0

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
