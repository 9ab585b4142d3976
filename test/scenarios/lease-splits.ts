/**
 * Splits that a lease decides, of two or three nodes that share nothing else: no record of a founding, no stored entities. Sides
 * are cut off, sleep, die, leave and come back while others join, so that a winner may be gone before the loser was told. One side
 * goes on, whatever happens, and nothing is excused. Whoever comes back joins and never founds, so nobody may be left.
 */
import { registerLeases } from '../../src/lease/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { MemoryJournal } from '../../src/persistence/index.ts'
import {
  type SeededRandom,
  type SimulatedNode,
  type Simulation,
  startSimulatedNode,
} from '../../src/simulation/index.ts'
import { planFaults } from './planned-faults.ts'
import { spineSettings } from './spine/spine-settings.ts'
import { OneSide } from './splits/one-side.ts'

const CHAOS_MS = 60_000
const ACT_MS = 100
const NAMES: readonly string[] = ['a', 'b', 'c']

export const leaseSplitsPlaces: readonly string[] = [
  'a node freezes: minority',
  'a node freezes: paused',
  'a node ends: downing',
  'a node ends: signal',
]

export async function leaseSplits(simulation: Simulation): Promise<void> {
  simulation.setEndsProved(simulation.random.fork('ends').chance(0.7))
  const nodes = new LeaseNodes(simulation)
  await simulation.runUntil(() => nodes.areUp(['a', 'b']), { what: 'two nodes are Up' })
  const { network } = simulation
  const plan = planFaults(
    simulation,
    { kinds: faults, times: { leastMs: 300, moreMs: 8_000 } },
    (fault, random) => {
      // Of some faults the next one finds nothing any more: cuts last.
      if (random.chance(0.3)) network.heal()
      fault(simulation, random)
    },
  )
  await simulation.run({ for: CHAOS_MS })
  plan.end()
  network.heal()
  await simulation.run({ for: CHAOS_MS / 2 })
}

class LeaseNodes {
  readonly #simulation: Simulation
  readonly #random: SeededRandom
  readonly #settings
  readonly #oneSide: OneSide
  readonly #starting = new Set<string>()
  readonly #up = new Map<string, SherdNode>()

  constructor(simulation: Simulation) {
    this.#simulation = simulation
    this.#random = simulation.random.fork('nodes')
    this.#oneSide = new OneSide(simulation, 'none')
    const { cluster, ...settings } = spineSettings(this.#random)
    const lease = registerLeases(new MemoryJournal({ store: simulation.store.memory }))
    const acquireLeaseDelayForMinorityMs = this.#random.pick([3_000, 10_000])
    const releaseAfterMs = this.#random.pick([5_000, 15_000])
    const delays = { acquireLeaseDelayForMinorityMs, releaseAfterMs }
    const downing = { strategy: 'lease-majority', lease, ...delays } as const
    this.#settings = { ...settings, cluster: { ...cluster, downing } }
    for (const name of ['a', 'b']) this.#start(name, ['a', 'b'])
    simulation.after(5_000 + this.#random.below(25_000), () => this.#look())
  }

  areUp(names: readonly string[]): boolean {
    return names.every((name) => {
      const members = this.#up.get(name)?.cluster.state.members ?? []
      return members.filter(({ status }) => status === 'Up').length === names.length
    })
  }

  /** Whoever has ended is started again, and the third one for the first time. */
  #look(): void {
    for (const name of NAMES) {
      if (this.#simulation.isAlive(name) || this.#starting.has(name)) continue
      this.#starting.add(name)
      this.#simulation.after(200 + this.#random.below(4_000), () => {
        this.#starting.delete(name)
        const others = NAMES.filter((each) => each !== name)
        if (!this.#simulation.isAlive(name)) this.#start(name, others)
      })
    }
    this.#simulation.after(500, () => this.#look())
  }

  #start(name: string, seeds: readonly string[]): void {
    const simulation = this.#simulation
    startSimulatedNode(simulation, name, {
      seeds: seeds.map((seed) => `${seed}:2552`),
      settings: this.#settings,
      beforeJoin: (node, life) => {
        this.#oneSide.attach(node, life)
        this.#act(node, life)
        node.cluster.subscribe((event) => {
          if (event.type === 'Frozen') simulation.reached(`a node freezes: ${event.reason}`)
        })
        void node.whenStopped.then(({ type }) => simulation.reached(`a node ends: ${type}`))
      },
    }).then(
      (node) => this.#up.set(name, node),
      (error: unknown) => simulation.record(`${name} did not start: ${String(error)}`),
    )
  }

  /** What is on a node does something now and then, unless it is frozen. */
  #act(node: SherdNode, life: SimulatedNode): void {
    life.environment.timers.after(ACT_MS, () => {
      const { cluster, id } = node
      const isUp = cluster.state.members.some((m) => m.node === id && m.status === 'Up')
      if (isUp && !cluster.lookForFreeze()) this.#oneSide.acted(life.label)
      this.#act(node, life)
    })
  }
}

type Fault = (simulation: Simulation, random: SeededRandom) => void

const cutOff: Fault = ({ network }, random) => {
  const side = NAMES.filter(() => random.chance(0.5))
  const rest = NAMES.filter((name) => !side.includes(name))
  if (side.length > 0 && rest.length > 0) network.partition(side, rest)
}

const crash: Fault = (simulation, random) => {
  const name = random.pick(NAMES)
  if (simulation.isAlive(name)) simulation.crash(name)
}

const faults: readonly Fault[] = [
  cutOff,
  cutOff,
  cutOff,
  crash,
  (simulation, random) => {
    const name = random.pick(NAMES)
    if (simulation.isAlive(name)) simulation.signal(name, 'SIGTERM')
  },
  (simulation, random) => {
    const forMs = 2_000 + random.below(20_000)
    for (const name of NAMES) {
      if (simulation.isAlive(name) && random.chance(0.5)) simulation.pause(name, forMs)
    }
  },
]
