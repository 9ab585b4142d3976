/** A whole node, as users start it: hosts the entities of the load and counters, on a store that all nodes share. */
import type { ClusterSettings } from '../../../src/cluster/index.ts'
import { type SherdNode, startNode } from '../../../src/node/index.ts'
import {
  CoordinatorStopped,
  EntityStarted,
  EntityStopped,
  type ShardingSettings,
  LocalShardStarted,
} from '../../../src/sharding/index.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'
import { ActivityLog, defineBeacon } from '../load/beacon.ts'
import { type Keeping, type TallyDefinition, tallyWith } from '../load/tally.ts'
import { BeaconCalls } from './beacon-calls.ts'
import { Counter, Idle } from './counter.ts'
import { hostEars, tellEar } from './ears.ts'
import { hostLingering, whereAreLingering } from './lingering.ts'
import { quickCluster, quickRemote, quickSharding } from './quick-settings.ts'
import { tellClusterEvents, type View, viewOf, type WantedView, whenViewIs } from './views.ts'

export interface EntityNodeOptions {
  readonly seeds?: readonly string[]
  /** The settings users get; otherwise those of quick tests. */
  readonly hasDefaults?: boolean
  readonly cluster?: Partial<ClusterSettings>
  readonly sharding?: Partial<ShardingSettings>
  /** Hosts entities that take so long to stop; none of them when left out. */
  readonly stopTakesMs?: number
  /** The address of a PostgreSQL database in the place of the folder of the cluster. */
  readonly postgres?: `postgres://${string}`
  /** What the store keeps of the entities of the load; events alone when left out. */
  readonly keeping?: Keeping
  /** Whether the entities of the load are remembered. */
  readonly remembers?: boolean
  /** Hosts beacons besides, which no store protects, and calls them all the time. */
  readonly hasBeacons?: boolean
}

/** Where an entity is, as a node knows it. */
export interface Home {
  readonly node: string | undefined
  readonly shard: number
}

export class EntityNode {
  readonly #node: SherdNode
  readonly #tally: TallyDefinition
  readonly #beacons: BeaconCalls | undefined

  static async start(options: Place & EntityNodeOptions): Promise<EntityNode> {
    const { host, port, advertisedPort, folder, seeds = [] } = options
    const { hasDefaults = false, stopTakesMs } = options
    const quick = hasDefaults ? {} : quickCluster
    const tally = tallyWith(options.keeping ?? 'events', options.remembers)
    const beacon = options.hasBeacons
      ? defineBeacon(new ActivityLog(folder, options.name))
      : undefined
    const node = await startNode({
      entities: [tally, Counter, Idle, ...(beacon === undefined ? [] : [beacon])],
      name: 'processes',
      // Without a secret a node only listens where no other host can reach it.
      ...(host !== undefined && { host, secret: 'of all hosts of one test' }),
      port,
      ...(advertisedPort !== undefined && { advertised: { port: advertisedPort } }),
      seeds,
      store: options.postgres ?? { folder },
      beforeJoin: ({ sharding, id }) => {
        hostEars(sharding)
        if (stopTakesMs !== undefined) hostLingering(sharding, id, stopTakesMs)
      },
      settings: {
        actor: { exitProcess: true },
        remote: hasDefaults ? {} : quickRemote,
        cluster: { ...quick, ...options.cluster },
        sharding: { ...(hasDefaults ? {} : quickSharding), ...options.sharding },
      },
    })
    tellClusterEvents(node.cluster, parent)
    const { eventStream } = node.system
    const tellLife = ({ type, entityType, entityId }: EntityStarted | EntityStopped): void =>
      parent.tell({ type, entityType, entityId })
    eventStream.subscribe(EntityStarted, tellLife)
    eventStream.subscribe(EntityStopped, tellLife)
    eventStream.subscribe(LocalShardStarted, ({ type, entityType, shard }) =>
      parent.tell({ type, entityType, shard }),
    )
    eventStream.subscribe(CoordinatorStopped, ({ type, entityType }) =>
      parent.tell({ type, entityType }),
    )
    const calls = beacon && new BeaconCalls((id) => node.entity(beacon, id).flash())
    return new EntityNode(node, tally, calls)
  }

  private constructor(node: SherdNode, tally: TallyDefinition, calls: BeaconCalls | undefined) {
    this.#node = node
    this.#tally = tally
    this.#beacons = calls
  }

  // ---- entities

  append(entity: string, id: string): Promise<number> {
    return this.#node.entity(this.#tally, entity).append(id)
  }

  ids(entity: string): Promise<string[]> {
    return this.#node.entity(this.#tally, entity).ids()
  }

  /** What the events that are stored say: the newest ids, or all of them where no event was deleted. */
  async replayed(entity: string): Promise<string[]> {
    const ids: string[] = []
    for await (const { args } of this.#node.events(this.#tally, entity)) ids.push(args[0])
    return ids
  }

  /** The entities of the load that run here. */
  hosted(): readonly string[] {
    const { shards } = this.#node.sharding.regionState(this.#tally.name)
    return shards.flatMap(({ entityIds }) => entityIds)
  }

  /** Handed over in this order, without waiting for one before the next. */
  add(id: string, ...numbers: readonly number[]): Promise<number[]> {
    return Promise.all(numbers.map((by) => this.#node.entity(Counter, id).add(by)))
  }

  get(id: string): Promise<number> {
    return this.#node.entity(Counter, id).get()
  }

  async homeOf(id: string): Promise<Home> {
    const { home: node, shard } = await this.#node.explain(Counter, id)
    return { node, shard }
  }

  /** All homes of shards of counters that this node knows. */
  homes(): readonly string[] {
    return [...this.#node.sharding.shardHomes(Counter.name).values()]
  }

  /** Of entities that take a while to stop. */
  whereAre(ids: readonly string[]): Promise<string[]> {
    return whereAreLingering(this.#node.sharding, ids)
  }

  /** Ends the region of the type without entities, and answers when it is gone. */
  async endIdle(): Promise<void> {
    const { sharding, system } = this.#node
    const region = sharding.regionOf(Idle.name)
    await sharding.gracefulShutdown(Idle.name)
    await system.whenStopped(region)
  }

  /** Says a word to an entity that tells what it hears. */
  tellEar(ear: string, word: string): void {
    tellEar(this.#node.sharding, ear, word)
  }

  /** Resolves when every beacon has answered a call that began here after this one. */
  async allBeaconsAnswer(): Promise<void> {
    await this.#beacons?.allAnswer()
  }

  // ---- the cluster

  view(): View {
    return viewOf(this.#node.cluster)
  }

  whenViewIs(wanted: WantedView): Promise<View> {
    return whenViewIs(this.#node.cluster, wanted)
  }
}
