/** What goes wrong in the founding scenario: seeds and others leave, die, sleep and are cut off, and so is the store. */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import { setClock, slowDown } from '../hardships.ts'
import { planFaults, planSlowStore } from '../planned-faults.ts'
import type { FoundingCluster } from './founding-cluster.ts'

/** As long as it takes a cluster with these settings to notice a change and to decide about it. */
const EXCUSED_MS = 6_000
const alone = 'x'

export type Fault = (faults: FoundingFaults) => void

export class FoundingFaults {
  readonly #simulation: Simulation
  readonly #checks: ClusterChecks
  readonly #cluster: FoundingCluster
  readonly #plan: { end(): void }
  readonly #seeds: readonly string[]
  /** Of the fault that is carried out. */
  #random: SeededRandom
  #healedMs = 0
  #splitMs = -Infinity
  #flappedMs = -Infinity

  constructor(parts: {
    readonly simulation: Simulation
    readonly checks: ClusterChecks
    readonly cluster: FoundingCluster
    readonly seeds: readonly string[]
    /** Those that may be drawn; the usual ones when not given. */
    readonly kinds?: readonly Fault[]
  }) {
    this.#simulation = parts.simulation
    this.#checks = parts.checks
    this.#cluster = parts.cluster
    this.#seeds = parts.seeds
    this.#random = this.#simulation.random.fork('faults')
    const swarm = this.#simulation.random.fork('swarm')
    const kinds = (parts.kinds ?? usualFaults).filter(() => swarm.chance(0.5))
    if (swarm.chance(0.5)) planSlowStore(this.#simulation)
    const times = { leastMs: 500, moreMs: 5_000 }
    this.#plan = planFaults(this.#simulation, { kinds, times }, (fault, random) => {
      this.#random = random
      fault(this)
    })
  }

  /** The end of all faults: what follows must come right again. */
  end(): void {
    this.#plan.end()
    this.#simulation.network.heal()
    this.#simulation.store.setFaults({})
    this.#cluster.calm()
  }

  /** Why two instances of an entity may be active now, if they may: splits that follow each other quickly. */
  get excuseForTwo(): string | undefined {
    const isRecent = this.#simulation.now - this.#flappedMs < EXCUSED_MS
    return isRecent ? 'a split that came and went' : undefined
  }

  /** Chance of the fault that is carried out. */
  get random(): SeededRandom {
    return this.#random
  }

  /** All seeds at once, or whoever. */
  leave(): void {
    for (const name of this.#some()) this.#cluster.leave(name)
  }

  crash(of: 'process' | 'host'): void {
    for (const name of this.#some()) {
      if (!this.#simulation.isAlive(name)) continue
      this.#checks.crashed(name)
      this.#simulation.crash(name, of)
    }
  }

  pause(leastMs: number, mostMs: number): void {
    const forMs = leastMs + this.#random.below(mostMs - leastMs)
    for (const name of this.#some()) {
      if (this.#simulation.isAlive(name)) this.#simulation.pause(name, forMs)
    }
  }

  partition(): void {
    const { names } = this.#cluster
    const side = this.#random.chance(0.5)
      ? names.filter((name) => this.#seeds.includes(name))
      : names.filter(() => this.#random.chance(0.5))
    this.#split(side)
  }

  cutOff(): void {
    this.#split([this.#random.pick(this.#cluster.names)])
  }

  cutFromStore(): void {
    const how = this.#random.pick(['fails', 'stalls'] as const)
    const forMs = 1_000 + this.#random.below(14_000)
    for (const name of this.#some()) this.#cluster.cutFromStore(name, how, forMs)
  }

  /** Those who are no seeds see neither these nor the store, and the seeds begin anew. */
  strand(): void {
    const stranded = this.#cluster.names.filter((name) => !this.#seeds.includes(name))
    const forMs = 6_000 + this.#random.below(10_000)
    for (const name of stranded) this.#cluster.cutFromStore(name, 'fails', forMs)
    this.#split(this.#seeds, forMs)
    for (const name of this.#seeds) {
      if (this.#simulation.isAlive(name)) this.#simulation.crash(name)
    }
  }

  storeAway(): void {
    const forMs = 1_000 + this.#random.below(10_000)
    this.#simulation.fault('the store does not answer')
    this.#simulation.store.setFaults({ failsBefore: 1 })
    this.#simulation.after(forMs, () => this.#simulation.store.setFaults({}))
  }

  slow(): void {
    const name = this.#random.pick(this.#cluster.names)
    slowDown(this.#simulation, this.#random, name, { leastMs: 1_000, spreadMs: 8_000 })
  }

  stepClock(): void {
    setClock(this.#simulation, this.#random, this.#random.pick(this.#cluster.names))
  }

  startAlone(): void {
    this.#cluster.startAlone(alone)
  }

  #split(side: readonly string[], forMs = this.#random.below(15_000)): void {
    const { names } = this.#cluster
    const other = names.filter((name) => !side.includes(name))
    if (side.length === 0 || other.length === 0) return
    const { now } = this.#simulation
    if (now - this.#splitMs < EXCUSED_MS) this.#flappedMs = now
    this.#splitMs = now
    this.#simulation.network.partition(side, other)
    this.#healedMs = Math.max(this.#healedMs, now + forMs)
    this.#simulation.after(this.#healedMs - now, () => {
      if (this.#simulation.now >= this.#healedMs) this.#simulation.network.heal()
    })
  }

  #some(): readonly string[] {
    const { names } = this.#cluster
    const draw = this.#random.below(4)
    if (draw === 0) return this.#seeds
    if (draw === 1) return names.filter((name) => !this.#seeds.includes(name))
    if (draw === 2) return names.filter(() => this.#random.chance(0.5))
    return [this.#random.pick(names)]
  }
}

export const commonFaults: readonly Fault[] = [
  (faults) => faults.leave(),
  (faults) => faults.crash('process'),
  (faults) => faults.crash('host'),
  (faults) => faults.pause(1_000, 4_000),
  (faults) => faults.pause(4_000, 15_000),
  (faults) => faults.partition(),
  (faults) => faults.cutOff(),
  (faults) => faults.cutFromStore(),
  (faults) => faults.storeAway(),
]

/** Of machines that are short of CPU, and whose clocks are set. */
export const hardships: readonly Fault[] = [
  (faults) => faults.slow(),
  (faults) => faults.stepClock(),
]

/** In the order in which they are drawn. */
const usualFaults: readonly Fault[] = [
  ...commonFaults.slice(0, -1),
  (faults) => faults.strand(),
  ...commonFaults.slice(-1),
  (faults) => faults.startAlone(),
]
