/**
 * Whole nodes with sharding in one simulation: system, network, cluster, singletons and regions each. At most one active
 * instance of an entity, and one coordinator per term, are checked at every step.
 */
import { expect } from 'vitest'
import { ActorSystem, DeadLetter, Dropped, type LostMessage } from '../../src/actor/index.ts'
import type { ClusterSettings } from '../../src/cluster/index.ts'
import { Cluster } from '../../src/cluster/internals.ts'
import type { Journal } from '../../src/persistence/index.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import { Remoting } from '../../src/remote/internals.ts'
import {
  CoordinatorStarted,
  EntityStarted,
  EntityStopped,
  type OpenRememberStore,
  type ShardingSettings,
} from '../../src/sharding/index.ts'
import { ClusterSharding, type OpenCoordinatorStore } from '../../src/sharding/internals.ts'
import { type SimulatedNode, Simulation } from '../../src/simulation/index.ts'
import { OneActiveInstance, OneCoordinator } from '../../src/simulation/internals.ts'
import { Singletons } from '../../src/singleton/internals.ts'

export interface ShardingNode {
  readonly name: string
  readonly id: NodeId
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly cluster: Cluster
  readonly singletons: Singletons
  readonly sharding: ClusterSharding
  readonly journal: Journal
  /** Messages that this node lost. */
  readonly lost: readonly LostMessage[]
}

export interface StartOptions {
  readonly roles?: readonly string[]
  readonly appVersion?: string
  readonly cluster?: Partial<ClusterSettings>
  readonly sharding?: Partial<ShardingSettings>
  /** What the node uses in place of the store of the simulation. */
  readonly journal?: (journal: Journal) => Journal
  /** Where its coordinators keep their decisions, in place of the journal. */
  readonly coordinatorStore?: OpenCoordinatorStore
  /** Where its shards keep what they remember, in place of the journal. */
  readonly rememberStore?: OpenRememberStore
  /** False where two instances of one entity are what the test is about: nothing on the node is checked. */
  readonly isWatched?: boolean
  /** Starts the entity types, before the node joins. */
  readonly init?: (node: ShardingNode) => void
}

export class Scene {
  readonly simulation: Simulation
  readonly nodes: ShardingNode[] = []
  readonly #instances: OneActiveInstance
  readonly #coordinators: OneCoordinator

  constructor(simulation: Simulation) {
    this.simulation = simulation
    this.#instances = new OneActiveInstance(simulation)
    this.#coordinators = new OneCoordinator(simulation)
  }

  /** A node that is Up: the first forms the cluster, the others join it. */
  async start(name: string, options: StartOptions = {}): Promise<ShardingNode> {
    const simulated = this.simulation.node(name)
    const { environment, transport } = simulated
    const journal = options.journal?.(simulated.journal) ?? simulated.journal
    const system = new ActorSystem('shop', { environment })
    simulated.traceLosses(system)
    const bind = { host: name, port: 2552 }
    const remoting = await this.simulation.settle(
      Remoting.start({ system, transport, clusterName: 'test', bind, insecure: true }),
    )
    const { roles = [], cluster: clusterSettings = {}, sharding: settings = {}, init } = options
    const cluster = Cluster.start({
      ...{ system, remoting, roles, settings: clusterSettings },
      ...(options.appVersion !== undefined && { appVersion: options.appVersion }),
    })
    const singletons = new Singletons({ system, remoting, cluster })
    const sharding = new ClusterSharding({
      ...{ system, remoting, cluster, singletons, journal, roles, settings },
      ...(options.coordinatorStore && { coordinatorStore: options.coordinatorStore }),
      ...(options.rememberStore && { rememberStore: options.rememberStore }),
    })
    const parts = {
      name,
      id: remoting.node,
      system,
      remoting,
      cluster,
      singletons,
      sharding,
      journal,
    }
    const node = { ...parts, lost: lossesOf(system) }
    if (options.isWatched !== false) this.#watch(simulated, node)
    init?.(node)
    const [first] = this.nodes
    this.nodes.push(node)
    cluster.join(first?.remoting.address ?? remoting.address)
    await this.simulation.settle(cluster.whenUp, { what: `${name} is Up` })
    await this.simulation.runUntil(() => isRegistered(node), { what: `${name} has coordinators` })
    return node
  }

  /** Waits for the promise in virtual time. */
  settle<T>(promise: Promise<T>): Promise<T> {
    return this.simulation.settle(promise)
  }

  #watch(simulated: SimulatedNode, { system, cluster }: ShardingNode): void {
    const nameOf = ({ entityType, entityId }: EntityNews) => `${entityType}/${entityId}`
    const numberOf = ({ shard, instance }: EntityNews) => `${shard}.${instance}`
    system.eventStream.subscribe(EntityStarted, (event) => {
      this.#instances.started(simulated, nameOf(event), numberOf(event))
    })
    system.eventStream.subscribe(EntityStopped, (event) => {
      this.#instances.stopped(simulated, nameOf(event), numberOf(event))
    })
    system.eventStream.subscribe(CoordinatorStarted, ({ entityType, term }) => {
      this.#coordinators.started(simulated, entityType, term)
    })
    cluster.subscribe(({ type }) => {
      if (type === 'Frozen') this.#instances.frozen(simulated)
      if (type === 'Thawed') this.#instances.thawed(simulated)
    })
  }
}

/** Runs the story under some seeds; each time all checks hold. */
export async function play(
  story: (scene: Scene) => Promise<void>,
  { seeds = 5 }: { readonly seeds?: number } = {},
): Promise<void> {
  for (let seed = 1; seed <= seeds; seed++) {
    const simulation = new Simulation({ seed })
    try {
      await story(new Scene(simulation))
      expect(simulation.violations).toEqual([])
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
    } finally {
      await simulation[Symbol.asyncDispose]()
    }
  }
}

type EntityNews = EntityStarted | EntityStopped

/** Only then it is given shards. */
function isRegistered({ sharding }: ShardingNode): boolean {
  return [...sharding.entityTypes].every(
    (entityType) => sharding.regionState(entityType).coordinator !== undefined,
  )
}

function lossesOf({ eventStream }: ActorSystem): LostMessage[] {
  const lost: LostMessage[] = []
  const note = (event: LostMessage): void => void lost.push(event)
  eventStream.subscribe<LostMessage>(DeadLetter, note)
  eventStream.subscribe<LostMessage>(Dropped, note)
  return lost
}
