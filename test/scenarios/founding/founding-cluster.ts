/**
 * The cluster of the founding scenario and whoever keeps it running: seeds and members that are no seeds, all with the same
 * list of seeds for ever. A process that has ended is started again on its address. Nobody ever helps.
 */
import type { DiscoveryOptions } from '../../../src/cluster/index.ts'
import type { NodeSettings, SherdNode } from '../../../src/node/index.ts'
import {
  type ClusterChecks,
  type SeededRandom,
  type SimulatedNode,
  type Simulation,
  startSimulatedNode,
} from '../../../src/simulation/index.ts'
import type { SimulatedJournal } from '../../../src/simulation/storage/simulated-journal.ts'
import type { ErringClock } from '../planned-faults.ts'
import { places } from './founding-places.ts'
import { foundingEntities, type FoundingEntities } from './founding-entities.ts'

export interface Running {
  readonly node: SherdNode
  readonly life: SimulatedNode
}

const LOOK_MS = 250
const CALL_PAUSE_MS = 150
const ENTITIES = 3

export interface FoundingClusterOptions {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly settings: NodeSettings
  readonly seeds: readonly string[]
  /** Members that are no seeds. */
  readonly others: readonly string[]
  /** The data center of a node; all are in one when not given. Each has types of entities of its own. */
  readonly dataCenterOf?: (name: string) => string
  /** How its clocks err; not at all when not given. */
  readonly clockOf?: (name: string) => ErringClock
  /** How a node finds others, instead of by seeds. */
  readonly discoveryOf?: (name: string) => DiscoveryOptions
  /** Who else is told of every life, and of all that entities do there. */
  readonly watch?: Watch
}

interface Watch {
  attach(node: SherdNode, life: SimulatedNode): void
  acted(label: string): void
}

export class FoundingCluster {
  readonly #options: FoundingClusterOptions
  readonly #random: SeededRandom
  /** By data center. */
  readonly #entities = new Map<string, FoundingEntities>()
  readonly #wanted: readonly string[]
  readonly #starting = new Set<string>()
  readonly #lives = new Map<string, SimulatedNode>()
  readonly #up = new Map<string, Running>()
  #isCalm = false

  constructor(options: FoundingClusterOptions) {
    this.#options = options
    this.#random = options.simulation.random.fork('cluster')
    this.#wanted = [...options.seeds, ...options.others]
    for (const name of this.#wanted) this.#start(name, this.#seeds)
    this.#look()
  }

  get names(): readonly string[] {
    return this.#wanted
  }

  /** Nodes that live and have been let in. */
  get up(): Running[] {
    return [...this.#up.values()].filter(({ life }) => life.isAlive)
  }

  /** Everybody is in one cluster, and each sees the others Up and reachable. */
  get isWhole(): boolean {
    const { up } = this
    return (
      this.#wanted.every((name) => this.#up.get(name)?.life.isAlive === true) &&
      up.every(({ node, life }) => {
        const { members, unreachable } = node.cluster.state
        const isSettled = members.every(({ status }) => status === 'Up')
        const isAlright = isSettled && unreachable.size === 0 && !node.cluster.isFrozen
        return isAlright && members.length === up.length && !life.isPaused
      })
    )
  }

  /** Who has not come back, in words. */
  get state(): string {
    return this.#wanted
      .map((name) => {
        const running = this.#up.get(name)
        if (running?.life.isAlive !== true) return `${name} is not up`
        const { cluster } = running.node
        const members = cluster.state.members.map(({ node, status }) => `${node} ${status}`)
        const { founder, isFrozen } = cluster.snapshot().founding ?? {}
        return `${name} in ${founder} frozen ${isFrozen}: ${members.join(', ')}`
      })
      .join('; ')
  }

  /** Every node gets an answer from every entity. A call may come too soon after all that went wrong, and is made again. */
  async allAnswer(): Promise<void> {
    const ids = Array.from({ length: ENTITIES }, (_, number) => `e${number}`)
    await Promise.all(
      this.up.flatMap(({ node, life }) => {
        const { plain, durable } = this.#entitiesOf(life.name)
        return ids.flatMap((id) => [
          this.#answer(life, () => node.entity(plain, id).add(1)),
          this.#answer(life, () => node.entity(durable, id).add(1)),
        ])
      }),
    )
  }

  #entitiesOf(name: string): FoundingEntities {
    const { simulation, checks, watch, dataCenterOf } = this.#options
    const dataCenter = dataCenterOf?.(name) ?? ''
    const found = this.#entities.get(dataCenter)
    if (found !== undefined) return found
    const acted = (label: string, type: string, id: string): void => {
      checks.acted(label, type, id)
      watch?.acted(label)
    }
    const entities = foundingEntities(simulation, acted, dataCenter)
    this.#entities.set(dataCenter, entities)
    return entities
  }

  /** Nothing is expected of a node that was told to leave before and is about to end. */
  async #answer(life: SimulatedNode, call: () => Promise<number>): Promise<void> {
    const { simulation } = this.#options
    while (life.isAlive) {
      try {
        await call()
        return
      } catch (error) {
        simulation.record(`a call on ${life.label} is made again: ${String(error)}`)
        await new Promise<void>((resolve) => simulation.after(CALL_PAUSE_MS, () => resolve()))
      }
    }
  }

  /** Leaves in good order; its process is started again later. */
  leave(name: string): void {
    const running = this.#up.get(name)
    if (running?.life.isAlive !== true) return
    running.life.environment.timers.after(0, () => void running.node.stop())
  }

  /** What this node asks of the store fails, or is answered late, until it is over. */
  cutFromStore(name: string, how: 'fails' | 'stalls', forMs: number): void {
    const life = this.#lives.get(name)
    if (life?.isAlive !== true) return
    const journal = life.journal as SimulatedJournal
    if (how === 'fails') journal.setFaults({ failsBefore: 1 })
    else journal.stall()
    this.#options.simulation.after(forMs, () => this.#mend(journal))
  }

  /** A process that was told of no seeds. */
  startAlone(name: string): void {
    const { simulation } = this.#options
    if (!simulation.isAlive(name)) this.#start(name, [])
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#isCalm = true
    for (const { journal } of this.#lives.values()) this.#mend(journal as SimulatedJournal)
  }

  get #seeds(): readonly string[] {
    return this.#options.seeds.map((name) => `${name}:2552`)
  }

  #settingsOf(name: string): NodeSettings {
    const { settings, dataCenterOf } = this.#options
    if (dataCenterOf === undefined) return settings
    return { ...settings, cluster: { ...settings.cluster, dataCenter: dataCenterOf(name) } }
  }

  #mend(journal: SimulatedJournal): void {
    journal.setFaults({})
    journal.flow()
  }

  #look(): void {
    const { simulation } = this.#options
    for (const name of this.#wanted) {
      if (simulation.isAlive(name) || this.#starting.has(name)) continue
      this.#starting.add(name)
      simulation.after(200 + this.#random.below(this.#isCalm ? 1_000 : 4_000), () => {
        this.#starting.delete(name)
        if (!simulation.isAlive(name)) this.#start(name, this.#seeds)
      })
    }
    simulation.after(LOOK_MS, () => this.#look())
  }

  #start(name: string, seeds: readonly string[]): void {
    const { simulation, checks, clockOf, discoveryOf } = this.#options
    const { plain, durable } = this.#entitiesOf(name)
    let life: SimulatedNode | undefined
    startSimulatedNode(simulation, name, {
      entities: [plain, durable],
      name: 'founding',
      ...(discoveryOf === undefined ? { seeds } : { discovery: discoveryOf(name) }),
      ...clockOf?.(name),
      settings: this.#settingsOf(name),
      beforeJoin: (node, its) => {
        life = its
        this.#lives.set(name, its)
        checks.attach(node, its)
        this.#options.watch?.attach(node, its)
        void node.whenStopped.then(({ type }) => simulation.reached(`a node ends: ${type}`))
      },
    }).then(
      (node) => {
        const running = { node, life: life as SimulatedNode }
        this.#up.set(name, running)
        if (seeds.length === 0) simulation.reached(places.foundAlone)
        this.#call(running)
      },
      (error: unknown) => {
        simulation.record(`${name} did not start: ${String(error)}`)
        if ((error as { code?: string }).code === 'CLUSTER_ELSEWHERE') {
          simulation.reached(places.elsewhere)
        }
      },
    )
  }

  /** Somebody on this node always wants something. */
  #call(running: Running): void {
    const { timers } = running.life.environment
    timers.after(2 * CALL_PAUSE_MS * this.#random.float(), () => {
      const id = `e${this.#random.below(ENTITIES)}`
      const { plain, durable } = this.#entitiesOf(running.life.name)
      const type = this.#random.chance(0.6) ? plain : durable
      running.node
        .entity(type, id)
        .add(1)
        .catch(() => undefined)
      this.#call(running)
    })
  }
}
