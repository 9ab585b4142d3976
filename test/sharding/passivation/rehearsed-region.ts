/**
 * The entities of one region under a limit, without actors: one that has to rest is gone at once. What the strategies
 * decide, and nothing else; `npm run passivation` runs traces through it.
 */
import { ActiveEntities } from '../../../src/sharding/passivation/active-entities.ts'
import { ActiveEntityLimit } from '../../../src/sharding/passivation/active-entity-limit.ts'
import { makeStrategy } from '../../../src/sharding/passivation/make-strategy.ts'
import type { LimitedPassivation } from '../../../src/sharding/passivation/passivation-options.ts'
import type { Victims } from '../../../src/sharding/passivation/passivation-strategy.ts'
import { Tracked } from '../../../src/sharding/passivation/tracked.ts'

interface RehearsedShard {
  readonly limit: ActiveEntities
  readonly active: Map<string, Tracked>
}

export class RehearsedRegion {
  activations = 0
  passivations = 0
  readonly #passivation: LimitedPassivation
  readonly #limit: ActiveEntityLimit
  readonly #shards = new Map<number, RehearsedShard>()

  constructor(passivation: LimitedPassivation) {
    this.#passivation = passivation
    this.#limit = new ActiveEntityLimit(passivation)
  }

  /** A message; answers who has to rest because of it, in all shards. */
  touch(shardId: number, entityId: string): string[] {
    const stopped: string[] = []
    const shard = this.#shards.get(shardId) ?? this.#startShard(shardId, stopped)
    const known = shard.active.get(entityId)
    if (known !== undefined) {
      shard.limit.touch(known)
      return stopped
    }
    this.activations++
    const tracked = new Tracked(entityId)
    shard.active.set(entityId, tracked)
    this.#rest(shard, shard.limit.add(tracked), stopped)
    return stopped
  }

  setLimit(perRegion: number): string[] {
    this.#limit.set(perRegion)
    return this.#tellLimit()
  }

  /** The entity has stopped for another reason than the limit. */
  end(shardId: number, entityId: string): void {
    const shard = this.#shards.get(shardId)
    const tracked = shard?.active.get(entityId)
    if (shard === undefined || tracked === undefined) return
    shard.active.delete(entityId)
    shard.limit.remove(tracked)
  }

  /** In no order that matters. */
  active(shardId: number): string[] {
    return [...(this.#shards.get(shardId)?.active.keys() ?? [])]
  }

  #startShard(shardId: number, stopped: string[]): RehearsedShard {
    this.#limit.shardStarted()
    stopped.push(...this.#tellLimit())
    const limit = new ActiveEntities(makeStrategy(this.#passivation), this.#limit.perShard)
    const shard = { limit, active: new Map<string, Tracked>() }
    this.#shards.set(shardId, shard)
    return shard
  }

  #tellLimit(): string[] {
    const stopped: string[] = []
    for (const shard of this.#shards.values()) {
      shard.limit.limitTo(this.#limit.perShard)
      this.#rest(shard, shard.limit.settle(), stopped)
    }
    return stopped
  }

  #rest({ active }: RehearsedShard, victims: Victims, stopped: string[]): void {
    for (const { entityId } of victims) {
      active.delete(entityId)
      stopped.push(entityId)
    }
    this.passivations += victims.length
  }
}
