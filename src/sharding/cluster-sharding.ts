/**
 * The door to sharding on one node: starts entity types and gives refs to entities. Each type has one region here, and one
 * coordinator in the whole cluster.
 */
import {
  type ActorRef,
  type ActorSystem,
  type AskOptions,
  AskTimeout,
  Behaviors,
  type Behavior,
} from '../actor/index.ts'
import type { LocalRef } from '../actor/internals.ts'
import type { MembersWith } from '../cluster/index.ts'
import type { ClusterMembership } from '../cluster/internals.ts'
import type { Journal } from '../persistence/index.ts'
import type { Duration } from '../foundation/duration.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { Remoting } from '../remote/index.ts'
import type { OpenCoordinatorStore } from './coordinator/coordinator-store.ts'
import type { OpenRememberStore } from './remembering/remember-store.ts'
import { checkTogether, problemsWithChosen } from './definition-relations.ts'
import { checkedDefinition, type StartFunction } from './checked-definition.ts'
import {
  differencesBetween,
  type KeyedDefinition,
  type ProxyDefinition,
  type RegionDefinition,
} from './region-definition.ts'
import {
  followLosses,
  followStops,
  type LossListener,
  type LostEntityMessage,
  nameOfEntity,
} from './entity-losses.ts'
import type { EntityRef } from './entity-ref.ts'
import type { EntityTypeKey } from './entity-type-key.ts'
import { type EntityExplanation, explainEntity, withAnswers } from './explanation.ts'
import { type RegionState, regionStateOf } from './inspection/region-state.ts'
import type { RegionRequest } from './region-requests.ts'
import { ExternalShardAllocation } from './external-shard-allocation.ts'
import type { ShardingEnvelope } from './message-extractor.ts'
import { SetActiveEntityLimit } from './passivation/set-active-entity-limit.ts'
import { type Readiness, TypeReady } from './readiness.ts'
import { RunningType } from './running-type.ts'
import { type EntityId, isShardId, type ShardId } from './shard-id.ts'
import type { ClusterReport, HostingRegion } from './inspection/reports.ts'
import { EntityTypeNotStarted, EntityTypeRedefined } from './sharding-errors.ts'
import type { ShardStop } from './shard-stop.ts'
import type { ShardingSettings } from './sharding-settings.ts'
import { shardingShutdownPhases } from './sharding-shutdown-phases.ts'

/** Who runs coordinators: `Singletons`. */
export interface CoordinatorHost {
  startOwn<T>(
    options: {
      readonly name: string
      readonly behavior: (life: { readonly term: number }) => Behavior<T>
      readonly stopMessage?: T
    },
    /** It moves to the end: regions that leave need it, also when the whole cluster is being stopped. */
    runtime: { readonly hosts: MembersWith; readonly movesToTheEnd: boolean },
  ): ActorRef<T>
}

export interface ClusterShardingOptions {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly cluster: ClusterMembership
  readonly singletons: CoordinatorHost
  /** Where coordinators keep their decisions, unless told otherwise; the same for all nodes of the cluster. */
  readonly journal: Journal
  /** What coordinators keep their decisions in instead of the journal; the same on all nodes of the cluster. */
  readonly coordinatorStore?: OpenCoordinatorStore
  /** Where shards keep which entities they remember, instead of the journal; the same on all nodes of the cluster. */
  readonly rememberStore?: OpenRememberStore
  /** What this node is for, and what it says of itself; what the cluster knows of it when not given. */
  readonly roles?: readonly string[]
  readonly attributes?: readonly string[]
  /** Where this node is, and the coordinators and homes of all it calls; the default one when not given. */
  readonly dataCenter?: string | undefined
  /** By which attribute the hosts of a type are known; where there is none, every node with the role is one. */
  readonly hostAttribute?: (entityType: string) => string | undefined
  /** The same of those that may run its coordinator, where the type has a role for that. */
  readonly coordinatorAttribute?: (entityType: string) => string | undefined
  /** What there is to say of another writer that has taken the stream of a coordinator, in whole sentences. */
  readonly adviceOnWriter?: (writer: string) => string | undefined
  /** For all types; a type may differ. */
  readonly settings?: Partial<ShardingSettings>
}

/** For questions that other nodes have to answer. */
export interface InspectionOptions {
  /** How long they may take; the setting `queryTimeoutMs` of the type when not given. */
  readonly timeout?: Duration | undefined
}

export class ClusterSharding {
  readonly #options: ClusterShardingOptions
  /** The parent of all regions. */
  readonly #ref: LocalRef
  readonly #types = new Map<string, RunningType>()
  readonly #ready = new Map<string, TypeReady>()
  readonly #lossListeners: LossListener[] = []

  constructor(options: ClusterShardingOptions) {
    this.#options = options
    const { system } = options
    system.runtime.deadLetterLog.nameOf = nameOfEntity
    this.#ref = system.spawnSystemActor(Behaviors.ignore, 'entities') as LocalRef
    system.shutdown.addPhases(shardingShutdownPhases)
    system.shutdown.addTask('cluster-sharding-shutdown-region', 'hand over shards', () =>
      this.#handOver(),
    )
    followLosses(system.eventStream, this.#lossListeners, (lost) => this.#tellAsker(lost))
    options.cluster.holdExit(() => this.#endNow())
    options.cluster.follow(({ type }) => {
      if (type !== 'PreparingForShutdown') return
      for (const running of this.#types.values()) void running.prepareForShutdown()
    })
  }

  /** The types that were started here, proxies included. */
  get entityTypes(): readonly string[] {
    return [...this.#types.keys()]
  }

  /** Those of them that may live here: proxies left out. */
  get hostedEntityTypes(): readonly string[] {
    const hosted = [...this.#types].filter(([, { region }]) => !region.isProxy)
    return hosted.map(([entityType]) => entityType)
  }

  isStarted(entityType: string): boolean {
    return this.#types.has(entityType)
  }

  /**
   * Starts a type; the same again gives the same region. Throws `InvalidSettings`, `NotThereYet` and
   * `EntityTypeRedefined`.
   */
  init<Message>(
    entity: KeyedDefinition<Message>,
  ): ActorRef<ShardingEnvelope<Message> | RegionRequest> {
    return this.#start(entity, 'init')
  }

  /** As `init`, for messages that name their entity in a way of their own. */
  start<Incoming, Message>(
    region: RegionDefinition<Incoming, Message>,
  ): ActorRef<Incoming | ShardingEnvelope<Message> | RegionRequest> {
    return this.#start(region, 'start')
  }

  /** Starts a region that routes and never hosts. */
  startProxy<Incoming = ShardingEnvelope, Message = unknown>(
    proxy: ProxyDefinition<Incoming, Message>,
  ): ActorRef<Incoming | ShardingEnvelope<Message> | RegionRequest> {
    return this.#start(proxy, 'startProxy')
  }

  /** The region of a type that was started here. */
  regionOf(entityType: string): ActorRef<never> {
    return this.#typeOf(entityType).ref
  }

  /**
   * Says where shards of a type with `ExternalShardAllocationStrategy` should be; the type need not be started here. Throws
   * `StoreCannot` where the store has no registers.
   */
  externalShardAllocation(entityType: string): ExternalShardAllocation {
    const { journal, system } = this.#options
    const { timers } = system.environment
    const numberOfShards = this.#types.get(entityType)?.settings.numberOfShards
    return new ExternalShardAllocation({ entityType, journal, timers, numberOfShards })
  }

  /** Throws `InvalidEntityId` and `EntityTypeNotStarted`. */
  entityRefFor<Message>(key: EntityTypeKey<Message>, entityId: EntityId): EntityRef<Message> {
    return this.#typeOf(key.name).region.refOf(entityId)
  }

  /** What lives in the region of this node. */
  regionState(entityType: string): RegionState {
    return regionStateOf(this.#typeOf(entityType).region)
  }

  /** How much lives in all regions of a type. Never rejects for silence: who has not answered in time is told as failed. */
  clusterStats(entityType: string, { timeout }: InspectionOptions = {}): Promise<ClusterReport> {
    return this.#typeOf(entityType).look({ withIds: false, timeout })
  }

  /** As `clusterStats`, with the ids of the entities. */
  clusterState(entityType: string, { timeout }: InspectionOptions = {}): Promise<ClusterReport> {
    return this.#typeOf(entityType).look({ withIds: true, timeout })
  }

  /**
   * @internal Resolves when the coordinator of a type has taken the region of this node in, or refused it: then with
   * its words. Nothing is known before, and calls wait.
   */
  whenRegistered(entityType: string): Promise<{ readonly refusal: string | undefined }> {
    return this.#typeOf(entityType).region.whenRegistered
  }

  /** The homes that the region of this node knows. */
  shardHomes(entityType: string): ReadonlyMap<ShardId, NodeId> {
    return this.#typeOf(entityType).homes
  }

  /**
   * The nodes that host this type now, in the whole cluster, as its coordinator has stored it; proxies are none of them.
   * Rejects with `AskTimeout` when no coordinator answers.
   */
  async currentRegions(entityType: string, options?: AskOptions): Promise<ReadonlySet<NodeId>> {
    const regions = await this.#typeOf(entityType).region.questions.regions(options)
    return new Set(regions.map(({ region }) => region))
  }

  /** The shards of each node that hosts this type, in the whole cluster. As `currentRegions`. */
  async shardsByRegion(
    entityType: string,
    options?: AskOptions,
  ): Promise<ReadonlyMap<NodeId, readonly ShardId[]>> {
    const regions = await this.#typeOf(entityType).region.questions.regions(options)
    return new Map(regions.map(({ region, shards }) => [region, shards]))
  }

  /** As `currentRegions`, with the shards of each, as plain data. */
  hostingRegions(entityType: string, options?: AskOptions): Promise<readonly HostingRegion[]> {
    return this.#typeOf(entityType).region.questions.regions(options)
  }

  /**
   * Where an entity is, why there, and what a message for it waits for. The coordinator and the home of its shard are
   * asked; what they do not say in time is left out.
   */
  async explain(
    entityType: string,
    entityId: EntityId,
    { timeout }: InspectionOptions = {},
  ): Promise<EntityExplanation> {
    const type = this.#typeOf(entityType)
    const found = this.explainFromHere(entityType, entityId)
    return withAnswers(found, type, type.timeoutOf(timeout))
  }

  /** @internal As `explain`, at once: what this node knows. */
  explainFromHere(entityType: string, entityId: EntityId): EntityExplanation {
    const { region, trouble } = this.#typeOf(entityType)
    const { self, state } = this.#options.cluster
    return explainEntity(region, region.refOf(entityId), { self, state, trouble })
  }

  /**
   * Prepares the stop of the whole cluster: from now on no shard of any type that was started here moves, on any node, and
   * each node stops its entities where they are when it is told to stop. Messages are still delivered, and shards
   * without a home still get one when somebody asks. Lasts until all nodes have stopped. Resolves with the types whose
   * coordinator has not confirmed in time; they are told again and again.
   */
  async prepareForShutdown({ timeout }: InspectionOptions = {}): Promise<readonly string[]> {
    const { timers } = this.#options.system.environment
    const unprepared = new Set(this.#types.keys())
    const prepared = [...this.#types].map(([entityType, type]) =>
      type.prepareForShutdown().then(() => void unprepared.delete(entityType)),
    )
    const times = [...this.#types.values()].map((type) => type.timeoutOf(timeout))
    await new Promise<void>((resolve) => {
      const timer = timers.after(Math.max(0, ...times), resolve)
      void Promise.all(prepared).then(() => {
        timer.cancel()
        resolve()
      })
    })
    return [...unprepared]
  }

  /**
   * Stops all entities of these shards, wherever they are, as when the shards move: what they were sent before is handled,
   * and each starts again with its next message. As many at a time as `handOffsMax` allows. There is an answer for each
   * shard, also when nobody answers in time. Refused for types whose entities are remembered.
   */
  async stopShards(
    entityType: string,
    shards: Iterable<ShardId>,
    options?: AskOptions,
  ): Promise<readonly ShardStop[]> {
    const { region, settings } = this.#typeOf(entityType)
    const wanted = [...new Set(shards)]
    const isOne = (shard: ShardId): boolean => isShardId(shard, settings.numberOfShards)
    const none = {
      outcome: 'refused',
      reason: `no such shard: there are ${settings.numberOfShards}`,
    } as const
    const others = wanted.filter((shard) => !isOne(shard)).map((shard) => ({ shard, ...none }))
    const asked = wanted.filter(isOne)
    const patience = { timeout: 2 * settings.handOffTimeoutMs, ...options }
    if (asked.length === 0) return others
    try {
      return [...(await region.questions.stopShards(asked, patience)), ...others]
    } catch (error) {
      if (!(error instanceof AskTimeout)) throw error
      const late = { outcome: 'timed-out', reason: error.message } as const
      return [...asked.map((shard) => ({ shard, ...late })), ...others]
    }
  }

  /**
   * Whether this node can serve these types, or all that were started here: for a health check, asked again and again. A type
   * that was ready once stays so. Throws `EntityTypeNotStarted`.
   */
  isReady(names: readonly string[] = this.entityTypes): Readiness {
    const { cluster, system } = this.#options
    const status = cluster.state.members.find(({ node }) => node === cluster.self)?.status
    const now = system.environment.clock.monotonicMs()
    const types = names.map((entityType) => {
      const { region, settings } = this.#typeOf(entityType)
      let ready = this.#ready.get(entityType)
      if (ready === undefined) this.#ready.set(entityType, (ready = new TypeReady(entityType)))
      const standing = () => region.snapshot()
      return ready.look({ now, status, timeoutMs: settings.readinessTimeoutMs, standing })
    })
    return { isReady: types.every((type) => type.isReady), types }
  }

  /**
   * @internal Tells of messages for entities that were lost on this node, and of entities that have stopped, of all
   * types.
   */
  followLosses(listener: LossListener): void {
    this.#lossListeners.push(listener)
    followStops(this.#options.system.eventStream, listener)
  }

  #tellAsker({ entityType, entityId, message, reason }: LostEntityMessage): void {
    if (entityId === undefined) return
    this.#types.get(entityType)?.region.tellAsker(entityId, message, reason)
  }

  /**
   * From now on no more than so many entities of this type may be active on this node, also in shards that come later. Those that
   * are too many rest at once. A node that hosts none has nothing to do. Throws `InvalidSettings`, and
   * `NoActiveEntityLimit` for a type without a limit.
   */
  setActiveEntityLimit(entityType: string, perRegion: number): void {
    this.#typeOf(entityType).region.setActiveEntityLimit(new SetActiveEntityLimit(perRegion))
  }

  /**
   * Hands the shards of this type over and stops its region here, as `GracefulShutdown` does that the region is told. After
   * `gracefulShutdownTimeoutMs` what is left is stopped where it is, and `HandOverIncomplete` tells of it. Resolves when nothing of
   * it lives here any more.
   */
  gracefulShutdown(entityType: string): Promise<void> {
    const type = this.#typeOf(entityType)
    return type.handOver().then(() => type.end())
  }

  #start(given: unknown, by: StartFunction): ActorRef<unknown> {
    const { settings, system } = this.#options
    const definition = checkedDefinition(given, by, (chosen) =>
      problemsWithChosen(chosen, settings, system),
    )
    const { entityType } = definition
    const known = this.#types.get(entityType)
    if (known !== undefined) {
      // A node that hosts a type can route to it as well.
      const isProxyOfIt = definition.behavior === undefined
      const differences = isProxyOfIt ? [] : differencesBetween(known.definition, definition)
      if (differences.length > 0) throw new EntityTypeRedefined(entityType, differences)
      return known.ref
    }
    checkTogether(definition, settings)
    const type = new RunningType({ ...this.#options, parent: this.#ref, definition })
    this.#types.set(entityType, type)
    return type.ref
  }

  #typeOf(entityType: string): RunningType {
    const type = this.#types.get(entityType)
    if (type === undefined) throw new EntityTypeNotStarted(entityType, this.entityTypes)
    return type
  }

  async #handOver(): Promise<void> {
    const types = [...this.#types.values()]
    // A command that still runs may call entities of any type.
    await Promise.all(types.map((type) => type.handOver()))
    await Promise.all(types.map((type) => type.end()))
  }

  async #endNow(): Promise<void> {
    await Promise.all([...this.#types.values()].map((type) => type.endNow()))
  }
}
