/**
 * The door to sharding on one node: starts entity types and gives refs to entities. Each type has one region here, and one
 * coordinator in the whole cluster.
 */
import {
  type ActorRef,
  type ActorSystem,
  type AskOptions,
  Behaviors,
  type Behavior,
} from '../actor/index.ts'
import type { LocalRef } from '../actor/internals.ts'
import type { ClusterMembership } from '../cluster/index.ts'
import type { Journal } from '../persistence/index.ts'
import { isRecord } from '../foundation/is-object.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { Remoting } from '../remote/index.ts'
import { checkedDefinition, type DefinitionTaker } from './checked-definition.ts'
import {
  differencesBetween,
  type EntityDefinition,
  type ProxyDefinition,
  type RegionDefinition,
} from './entity-definition.ts'
import type { EntityRef } from './entity-ref.ts'
import type { EntityTypeKey } from './entity-type-key.ts'
import { type EntityExplanation, explainEntity } from './explanation.ts'
import type { ShardingEnvelope } from './message-extractor.ts'
import { RunningType } from './running-type.ts'
import type { EntityId, ShardId } from './shard-id.ts'
import { EntityTypeNotStarted, EntityTypeRedefined } from './sharding-errors.ts'
import {
  shardingSettings,
  type ShardingSettings,
  shardingSettingsTable,
} from './sharding-settings.ts'

/** Who runs coordinators: `Singletons`. */
export interface CoordinatorHost {
  start<T>(options: {
    readonly name: string
    readonly role?: string | undefined
    readonly behavior: (life: { readonly term: number }) => Behavior<T>
    readonly stopMessage?: T
  }): ActorRef<T>
}

export interface ClusterShardingOptions {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly cluster: ClusterMembership
  readonly singletons: CoordinatorHost
  /** Where coordinators keep their decisions; the same for all nodes of the cluster. */
  readonly journal: Journal
  /** What this node is for; what the cluster knows of it when not given. */
  readonly roles?: readonly string[]
  /** What there is to say of another writer that has taken the stream of a coordinator, in whole sentences. */
  readonly adviceOnWriter?: (writer: string) => string | undefined
  /** For all types; a type may differ. */
  readonly settings?: Partial<ShardingSettings>
}

/** What lives in the region of one type on this node. */
export interface RegionState {
  readonly typeName: string
  readonly isProxy: boolean
  readonly phase: string
  readonly isFrozen: boolean
  readonly coordinator: NodeId | undefined
  /** Why the coordinator does not let this region take part. */
  readonly refusal: string | undefined
  /** Messages that wait for a home. */
  readonly buffered: number
  readonly shards: readonly {
    readonly shard: ShardId
    readonly entityIds: readonly EntityId[]
  }[]
}

export class ClusterSharding {
  readonly #options: ClusterShardingOptions
  /** The parent of all regions. */
  readonly #ref: LocalRef
  readonly #types = new Map<string, RunningType>()

  constructor(options: ClusterShardingOptions) {
    this.#options = options
    const { system } = options
    this.#ref = system.spawnSystemActor(Behaviors.ignore, 'entities') as LocalRef
    system.shutdown.addTask('cluster-sharding-shutdown-region', 'hand over shards', () =>
      this.#handOver(),
    )
    options.cluster.holdExit(() => this.#endNow())
  }

  /** The types that were started here, proxies included. */
  get typeNames(): readonly string[] {
    return [...this.#types.keys()]
  }

  isStarted(typeName: string): boolean {
    return this.#types.has(typeName)
  }

  /**
   * Starts a type; the same again gives the same region. Throws `InvalidSettings`, `NotThereYet` and
   * `EntityTypeRedefined`.
   */
  init<Message>(entity: EntityDefinition<Message>): ActorRef<ShardingEnvelope<Message>> {
    return this.#start(entity, 'init')
  }

  /** As `init`, for messages that name their entity in a way of their own. */
  start<Incoming, Message>(region: RegionDefinition<Incoming, Message>): ActorRef<Incoming> {
    return this.#start(region, 'start')
  }

  /** Starts a region that routes and never hosts. */
  startProxy<Incoming = ShardingEnvelope, Message = unknown>(
    proxy: ProxyDefinition<Incoming, Message>,
  ): ActorRef<Incoming> {
    return this.#start(proxy, 'startProxy')
  }

  /** The region of a type that was started here. */
  regionOf(typeName: string): ActorRef<never> {
    return this.#typeOf(typeName).ref
  }

  /** Throws `InvalidEntityId` and `EntityTypeNotStarted`. */
  entityRefFor<Message>(key: EntityTypeKey<Message>, entityId: EntityId): EntityRef<Message> {
    return this.#typeOf(key.name).region.refOf(entityId)
  }

  regionState(typeName: string): RegionState {
    const { region } = this.#typeOf(typeName)
    const { phase, isFrozen, coordinator, refusal, shards, buffered } = region.snapshot()
    return {
      ...{ typeName, isProxy: region.isProxy, phase, isFrozen, coordinator, refusal, buffered },
      shards: shards.map((shard) => ({ shard, entityIds: region.entityIdsOf(shard) })),
    }
  }

  /** The homes that the region of this node knows. */
  shardHomes(typeName: string): ReadonlyMap<ShardId, NodeId> {
    const { region, settings } = this.#typeOf(typeName)
    const homes = new Map<ShardId, NodeId>()
    for (let shard = 0; shard < settings.numberOfShards; shard++) {
      const { home } = region.explain(shard)
      if (home !== undefined) homes.set(shard, home)
    }
    return homes
  }

  /**
   * The nodes that host this type now, in the whole cluster, as its coordinator has stored it; proxies are none of them.
   * Rejects with `AskTimeout` when no coordinator answers.
   */
  async currentRegions(typeName: string, options?: AskOptions): Promise<ReadonlySet<NodeId>> {
    const regions = await this.#typeOf(typeName).region.currentRegions(options)
    return new Set(regions.map(({ region }) => region))
  }

  /** The shards of each node that hosts this type, in the whole cluster. As `currentRegions`. */
  async shardsByRegion(
    typeName: string,
    options?: AskOptions,
  ): Promise<ReadonlyMap<NodeId, readonly ShardId[]>> {
    const regions = await this.#typeOf(typeName).region.currentRegions(options)
    return new Map(regions.map(({ region, shards }) => [region, shards]))
  }

  /** Where an entity is, and what a message for it waits for, as this node knows it. */
  async explain(typeName: string, entityId: EntityId): Promise<EntityExplanation> {
    const { region, trouble } = this.#typeOf(typeName)
    const { self, state } = this.#options.cluster
    return explainEntity(region, region.refOf(entityId), { self, state, trouble })
  }

  /** Hands the shards of this type over and stops its region here. Resolves when nothing of it lives here any more. */
  gracefulShutdown(typeName: string): Promise<void> {
    return this.#typeOf(typeName).handOver()
  }

  #start(given: unknown, taker: DefinitionTaker): ActorRef<unknown> {
    const definition = checkedDefinition(given, taker, (chosen) => this.#problemsWith(chosen))
    const { typeName } = definition
    const known = this.#types.get(typeName)
    if (known !== undefined) {
      // A node that hosts a type can route to it as well.
      const isProxyOfIt = definition.behavior === undefined
      const differences = isProxyOfIt ? [] : differencesBetween(known.definition, definition)
      if (differences.length > 0) throw new EntityTypeRedefined(typeName, differences)
      return known.ref
    }
    const type = new RunningType({ ...this.#options, parent: this.#ref, definition })
    this.#types.set(typeName, type)
    return type.ref
  }

  /** Of what a type has chosen, together with the settings of the node. */
  #problemsWith(chosen: unknown): string[] {
    const { system, settings } = this.#options
    const isFormless = chosen !== undefined && !isRecord(chosen)
    const whole = isFormless ? chosen : shardingSettings({ ...settings, ...chosen })
    return shardingSettingsTable.problemsWith(whole, {
      'actor.handlerStopTimeoutMs': system.settings.handlerStopTimeoutMs,
      'the time of the phase cluster-sharding-shutdown-region': system.shutdown.timeoutOf(
        'cluster-sharding-shutdown-region',
      ),
    })
  }

  #typeOf(typeName: string): RunningType {
    const type = this.#types.get(typeName)
    if (type === undefined) throw new EntityTypeNotStarted(typeName, this.typeNames)
    return type
  }

  async #handOver(): Promise<void> {
    await Promise.all([...this.#types.values()].map((type) => type.handOver()))
  }

  async #endNow(): Promise<void> {
    await Promise.all([...this.#types.values()].map((type) => type.endNow()))
  }
}
