/** A node of a simulation: an actor system whose whole world is one incarnation. */
import {
  type ActorSettings,
  ActorSystem,
  DeadLetter,
  Dropped,
  type LostMessage,
  UnhandledMessage,
} from '../actor/index.ts'
import type { SherdNode } from '../node/index.ts'
import {
  EntityStarted,
  EntityStopped,
  LocalShardStarted,
  LocalShardStopped,
} from '../sharding/index.ts'
import type { Environment } from '../foundation/environment.ts'
import { show } from '../foundation/show.ts'
import type { Journal } from '../persistence/index.ts'
import type { Transport } from '../remote/index.ts'
import type { WatchedLife } from './checkers/findings.ts'
import type { Incarnation } from './incarnation.ts'
import { SimulatedTransport } from './network/simulated-transport.ts'
import type { SimulatedNetwork } from './network/simulated-network.ts'
import { SimulationMisuse } from './simulation-errors.ts'
import type { SimulatedStore } from './storage/simulated-store.ts'
import type { World } from './world.ts'

/** How one life of a bare node differs from those of others. */
export interface LifeOptions {
  /** How far the node's wall clock is off, in milliseconds of either sign. */
  readonly wallOffsetMs?: number
  /** Seconds that its clocks and timers count while one passes; 1 when not given. Real ones err by less than 0.001. */
  readonly clockRate?: number
  /** The machine that it runs on. Nodes of one machine can see each other's processes end; all are on one when not given. */
  readonly machine?: string
  /** Of its actor system. */
  readonly settings?: Partial<ActorSettings>
}

/** One life of a node. */
export interface SimulatedNode extends WatchedLife {
  readonly name: string
  /** 1 for the first life, one more after each crash. */
  readonly incarnation: number
  readonly environment: Environment
  /** Made at first use: a whole node brings its own. */
  readonly system: ActorSystem
  /** The simulated network, from this node's machine: its host name is the node's name. */
  readonly transport: Transport
  /** The store that all nodes share, as this node sees it. */
  readonly journal: Journal
  /** Makes every message that this system loses an event of the trace. */
  traceLosses(system: ActorSystem): void
  /** @internal Makes what its entities do a part of the story. */
  followEntities(node: SherdNode): void
}

/** A node together with the life that only the simulation may end. */
export interface LivingNode {
  readonly node: SimulatedNode
  readonly life: Incarnation
}

/** What all nodes stand on. */
export interface Infrastructure {
  readonly world: World
  readonly network: SimulatedNetwork
  readonly store: SimulatedStore
}

/** Every message that its system loses is an event of the trace. */
export function bootNode(
  infrastructure: Infrastructure,
  name: string,
  options: LifeOptions,
): LivingNode {
  const { world, network } = infrastructure
  if (![name, options.machine ?? 'machine'].every((each) => /^[^\s*#]+$/.test(each))) {
    throw new SimulationMisuse(
      `${show(name)} cannot name a node, or its machine cannot be named so: use text without spaces, * and #.`,
    )
  }
  const life = world.begin(name, options)
  try {
    network.hostUp(name)
    const node = new BootedNode(infrastructure, life, options)
    // Settings that do not hold are refused here, not at first use.
    if (options.settings !== undefined) void node.system
    return { node, life }
  } catch (error) {
    world.end(life, 'did not start')
    throw error
  }
}

class BootedNode implements SimulatedNode {
  readonly name: string
  readonly label: string
  readonly incarnation: number
  readonly environment: Environment
  readonly transport: Transport
  readonly journal: Journal
  readonly #world: World
  readonly #life: Incarnation
  readonly #settings: Partial<ActorSettings> | undefined
  #system: ActorSystem | undefined

  constructor({ world, network, store }: Infrastructure, life: Incarnation, options: LifeOptions) {
    this.name = life.name
    this.label = life.label
    this.incarnation = life.number
    this.environment = life.environment
    this.transport = new SimulatedTransport(network, life)
    this.journal = store.journalFor(life)
    this.#world = world
    this.#life = life
    this.#settings = options.settings
  }

  get system(): ActorSystem {
    this.#system ??= this.#newSystem()
    return this.#system
  }

  get isAlive(): boolean {
    return this.#life.isAlive
  }

  get isPaused(): boolean {
    return this.isAlive && this.#life.pausedUntilUs > this.#world.clock.nowUs
  }

  get pauseCount(): number {
    return this.#life.pauseCount
  }

  traceLosses({ eventStream }: ActorSystem): void {
    const noteLost = (event: LostMessage): void => this.#world.note(this.#life, 'lost', `${event}`)
    eventStream.subscribe<LostMessage>(DeadLetter, noteLost)
    eventStream.subscribe<LostMessage>(Dropped, noteLost)
    eventStream.subscribe<LostMessage>(UnhandledMessage, noteLost)
  }

  followEntities(node: SherdNode): void {
    const { label } = this
    const { story } = this.#world
    const { eventStream } = node.system
    node.witnessCommands(story.witnessFor(label))
    eventStream.subscribe(EntityStarted, (event) => story.entityStarted(label, event))
    eventStream.subscribe(EntityStopped, (event) => story.entityStopped(label, event))
    eventStream.subscribe(LocalShardStarted, (event) => story.shardStarted(label, event))
    eventStream.subscribe(LocalShardStopped, (event) => story.shardStopped(label, event))
    node.cluster.subscribe((event) => {
      if (event.type === 'Frozen') story.note(`freezes (${event.reason})`, label)
      else if (event.type === 'Thawed') story.note('thaws', label)
    })
  }

  #newSystem(): ActorSystem {
    const { name, environment } = this
    const settings = this.#settings
    const system = new ActorSystem(name, { environment, ...(settings && { settings }) })
    this.traceLosses(system)
    return system
  }
}
