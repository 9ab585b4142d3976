/** Entities of one type that are started without a message: asked for here, and started here for others. */
import type { AskOptions } from '../../actor/index.ts'
import { ask, type Question, type Runtime } from '../../actor/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import type { EntitiesStarted, StartEntities } from '../sharding-messages.ts'
import type { ShardingSettings } from '../sharding-settings.ts'
import { startedIdsMax } from '../sharding-wire.ts'
import type { Shard } from '../shard/shard.ts'
import type { StartAsker } from '../shard/shard-inputs.ts'
import { EntityRecovery } from './entity-recovery.ts'
import { EntityStarts } from './entity-starts.ts'

export interface RegionStartsOptions {
  readonly node: NodeId
  readonly runtime: Runtime
  readonly settings: ShardingSettings
  /** The shard, while it lives here. */
  readonly shardHere: (shard: ShardId) => Shard | undefined
  readonly shardOf: (entityId: EntityId) => ShardId
  readonly homeOf: (shard: ShardId) => NodeId | undefined
  /** Somebody has to know where it is. */
  readonly findHome: (shard: ShardId) => void
  readonly send: (to: NodeId, message: StartEntities | EntitiesStarted) => void
}

/** Whoever asked for the start of an entity. */
interface RegionAsking {
  readonly from: NodeId
  readonly shard: ShardId
  readonly ask: number
}

export class RegionStarts {
  readonly #options: RegionStartsOptions
  readonly #starts: EntityStarts
  readonly recovery: EntityRecovery

  constructor(options: RegionStartsOptions) {
    this.#options = options
    const { settings, runtime } = options
    const { timers } = runtime.environment
    this.recovery = new EntityRecovery(timers, settings)
    this.#starts = new EntityStarts({
      ...{ timers, retryIntervalMs: settings.retryIntervalMs },
      send: (shard, number, entityIds) => this.#send(shard, number, entityIds),
    })
  }

  /** `entity` is for words. Rejects with `AskTimeout` and `AskAborted`. */
  async start(
    { shard, entityId }: { readonly shard: ShardId; readonly entityId: EntityId },
    options: AskOptions | undefined,
    entity: string,
  ): Promise<void> {
    const target = { tell: () => undefined, toString: () => `the start of ${entity}` }
    const put = (_message: unknown, question: Question): void =>
      this.#starts.start(shard, [entityId], {
        started: () => question.tell(true),
        isWanted: () => !question.isOver,
      })
    await ask<unknown, true>(target, () => entityId, options, this.#options.runtime, put)
  }

  /** These are remembered by a shard here and at home in another one. */
  startElsewhere(shard: Shard, home: ShardId, entityIds: readonly EntityId[]): void {
    this.#starts.start(home, entityIds, {
      started: (ids) => shard.step({ type: 'MovedAway', entityIds: ids }),
      isWanted: () => this.#options.shardHere(shard.shard) === shard,
    })
  }

  /** Another region, or this one, wants entities to be started here. Those that cannot be now are asked for again. */
  wanted(from: NodeId, { shard, ask: number, entityIds }: StartEntities): void {
    const here = this.#options.shardHere(shard)
    if (here === undefined) return
    const ours = entityIds.filter((entityId) => this.#isOf(shard, entityId))
    here.startEntities(ours, { from, shard, ask: number })
  }

  /** False also where the extractor throws: one id must not keep others from being started. */
  #isOf(shard: ShardId, entityId: EntityId): boolean {
    try {
      return this.#options.shardOf(entityId) === shard
    } catch {
      return false
    }
  }

  answered(message: EntitiesStarted): void {
    this.#starts.answered(message)
  }

  /** Some that somebody has asked for are started; no more than one question has named. */
  tell(entityIds: readonly EntityId[], asker: StartAsker): void {
    const { from, shard, ask: number } = asker as RegionAsking
    const message = { type: 'EntitiesStarted', shard, ask: number, entityIds } as const
    if (from === this.#options.node) this.answered(message)
    else this.#options.send(from, message)
  }

  cancel(): void {
    this.recovery.cancel()
    this.#starts.cancel()
  }

  #send(shard: ShardId, number: number, entityIds: readonly EntityId[]): void {
    const { homeOf, findHome, node, send } = this.#options
    const home = homeOf(shard)
    if (home === undefined) return findHome(shard)
    for (let first = 0; first < entityIds.length; first += startedIdsMax) {
      const ids = entityIds.slice(first, first + startedIdsMax)
      const message = { type: 'StartEntities', shard, ask: number, entityIds: ids } as const
      if (home === node) this.wanted(node, message)
      else send(home, message)
    }
  }
}
