/**
 * The entities of one region under a limit, without actors: one that has to rest is gone at once. What the strategies
 * decide, and nothing else; `npm run passivation` runs traces through it.
 */
import { ActiveEntities } from '../../../src/sharding/passivation/active-entities.ts'
import { ActiveEntityLimit } from '../../../src/sharding/passivation/active-entity-limit.ts'
import { makeStrategy } from '../../../src/sharding/passivation/make-strategy.ts'
import type { LimitedPassivation } from '../../../src/sharding/passivation/passivation-options.ts'
import { Entities, type Entity } from '../../../src/sharding/shard/entities.ts'
import { LimitedEntities } from '../../../src/sharding/shard/limited-entities.ts'

interface RehearsedShard {
  readonly entities: Entities<never, never>
  readonly limited: LimitedEntities<never, never>
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
    const known = shard.entities.get(entityId)
    if (known !== undefined) {
      shard.limited.touch(known)
      return stopped
    }
    this.activations++
    const entity = shard.entities.add(entityId, true, 0)
    this.#rest(shard, shard.limited.add(entity), stopped)
    return stopped
  }

  setLimit(perRegion: number): string[] {
    this.#limit.set(perRegion)
    return this.#tellLimit()
  }

  /** The entity has stopped for another reason than the limit. */
  end(shardId: number, entityId: string): void {
    const shard = this.#shards.get(shardId)
    const entity = shard?.entities.get(entityId)
    if (shard === undefined || entity === undefined) return
    shard.limited.remove(entity)
    shard.entities.delete(entity)
  }

  /** In no order that matters. */
  active(shardId: number): string[] {
    return this.#shards.get(shardId)?.entities.ids ?? []
  }

  #startShard(shardId: number, stopped: string[]): RehearsedShard {
    this.#limit.shardStarted()
    stopped.push(...this.#tellLimit())
    const active = new ActiveEntities(makeStrategy(this.#passivation), this.#limit.perShard)
    const entities = new Entities<never, never>(0)
    const shard = { entities, limited: new LimitedEntities(entities, active) }
    this.#shards.set(shardId, shard)
    return shard
  }

  #tellLimit(): string[] {
    const stopped: string[] = []
    for (const shard of this.#shards.values()) {
      shard.limited.limitTo(this.#limit.perShard)
      this.#rest(shard, shard.limited.settle(), stopped)
    }
    return stopped
  }

  #rest(
    { entities }: RehearsedShard,
    victims: readonly Entity<never, never>[],
    stopped: string[],
  ): void {
    for (const victim of victims) {
      entities.delete(victim)
      stopped.push(victim.entityId)
    }
    this.passivations += victims.length
  }
}
