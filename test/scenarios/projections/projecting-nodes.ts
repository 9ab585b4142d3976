/** The nodes of the scenario, and whoever keeps them running: a process that has ended is started again. */
import type { SherdNode } from '../../../src/node/index.ts'
import {
  type ClusterChecks,
  type SeededRandom,
  type SimulatedNode,
  type SimulatedNodeOptions,
  type Simulation,
  startSimulatedNode,
} from '../../../src/simulation/index.ts'
import { machinesBy } from '../machines.ts'

export interface ProjectingNodesOptions {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  /** What each life of a node is started with. */
  readonly optionsOf: (life: string) => SimulatedNodeOptions
}

const LOOK_MS = 250
/** So long may all be outside any cluster before the operator starts anew. */
const LOST_MAX_MS = 12_000

export class ProjectingNodes {
  readonly #options: ProjectingNodesOptions
  readonly #random: SeededRandom
  readonly #machineOf: (name: string) => string
  readonly #founders = ['a', 'b', 'c']
  readonly names = [...this.#founders]
  readonly #starting = new Set<string>()
  readonly #up = new Map<string, { readonly node: SherdNode; readonly life: SimulatedNode }>()
  readonly #leaving = new Set<string>()
  #lives = 0
  #lostSinceMs: number | undefined

  constructor(options: ProjectingNodesOptions) {
    this.#options = options
    this.#random = options.simulation.random.fork('nodes')
    this.#machineOf = machinesBy(options.simulation.random.fork('machines'))
    for (const name of this.#founders) this.#start(name, this.#founders)
    this.#look()
  }

  get up(): SherdNode[] {
    return this.#living.map(({ node }) => node)
  }

  get #living() {
    return [...this.#up.values()].filter(({ life }) => life.isAlive)
  }

  get isWhole(): boolean {
    const { up } = this
    return (
      up.length === this.names.length &&
      this.#living.every(({ node, life }) => {
        const { members, unreachable } = node.cluster.state
        const areUp = members.length === up.length && members.every(({ status }) => status === 'Up')
        return areUp && unreachable.size === 0 && !life.isPaused && !this.#leaving.has(life.label)
      })
    )
  }

  add(name: string): void {
    if (!this.names.includes(name)) this.names.push(name)
  }

  leave(name: string): void {
    const running = this.#up.get(name)
    if (running?.life.isAlive !== true) return
    const { node, life } = running
    this.#leaving.add(life.label)
    life.environment.timers.after(0, () => {
      this.#options.checks.losses.leaves(life.label)
      void node.stop()
    })
  }

  crash(name: string, of: 'process' | 'host'): void {
    const { simulation, checks } = this.#options
    if (!simulation.isAlive(name)) return
    checks.crashed(name)
    simulation.crash(name, of)
  }

  #look(): void {
    const { simulation } = this.#options
    for (const name of this.names) {
      if (simulation.isAlive(name) || this.#starting.has(name)) continue
      this.#starting.add(name)
      simulation.after(200 + this.#random.below(2_500), () => {
        this.#starting.delete(name)
        if (simulation.isAlive(name)) return
        const others = this.#living.map(({ life }) => life.name).filter((other) => other !== name)
        this.#start(name, others.length > 0 ? others : this.#founders)
      })
    }
    if (this.#living.length > 0) this.#lostSinceMs = undefined
    else if (simulation.now - (this.#lostSinceMs ??= simulation.now) > LOST_MAX_MS) this.#restart()
    simulation.after(LOOK_MS, () => this.#look())
  }

  #restart(): void {
    const { simulation } = this.#options
    this.#lostSinceMs = undefined
    simulation.excuse('L2: no side survived, and the cluster was started anew')
    for (const name of this.names) {
      this.crash(name, 'process')
      this.#start(name, this.#founders)
    }
  }

  #start(name: string, seeds: readonly string[]): void {
    const { simulation, checks, optionsOf } = this.#options
    let life: SimulatedNode | undefined
    startSimulatedNode(simulation, name, {
      ...optionsOf(`${name} ${++this.#lives}`),
      machine: this.#machineOf(name),
      seeds: seeds.map((seed) => `${seed}:2552`),
      beforeJoin: (node, its) => {
        life = its
        checks.attach(node, its)
      },
    }).then(
      (node) => this.#up.set(name, { node, life: life as SimulatedNode }),
      (error: unknown) => simulation.record(`${name} did not start: ${String(error)}`),
    )
  }
}
