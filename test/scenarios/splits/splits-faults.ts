/** What goes wrong in the scenario of splits: sides lose each other, die, sleep and leave, and the store is away meanwhile. */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { FoundingCluster } from '../founding/founding-cluster.ts'
import { planFaults, planSlowStore } from '../planned-faults.ts'

type Fault = (faults: SplitsFaults) => void

export class SplitsFaults {
  readonly #simulation: Simulation
  readonly #checks: ClusterChecks
  readonly #cluster: FoundingCluster
  readonly #plan: { end(): void }
  /** The store was away for some or for all at any time, or slow; or somebody was told to leave, perhaps the last one. */
  mayBeOver = false
  #isOver = false
  /** Of the fault that is carried out. */
  #random: SeededRandom
  #healedMs = 0

  constructor(parts: {
    readonly simulation: Simulation
    readonly checks: ClusterChecks
    readonly cluster: FoundingCluster
  }) {
    this.#simulation = parts.simulation
    this.#checks = parts.checks
    this.#cluster = parts.cluster
    this.#random = this.#simulation.random.fork('faults')
    const swarm = this.#simulation.random.fork('swarm')
    const all = swarm.chance(0.6) ? [...plainFaults, ...storeFaults] : plainFaults
    const kinds = all.filter(() => swarm.chance(0.5))
    if (all !== plainFaults && swarm.chance(0.4)) {
      this.mayBeOver = true
      planSlowStore(this.#simulation)
    }
    const times = { leastMs: 500, moreMs: 6_000 }
    this.#plan = planFaults(this.#simulation, { kinds, times }, (fault, random) => {
      this.#random = random
      fault(this)
    })
  }

  /** The end of all faults: what follows must come right again. */
  end(): void {
    this.#isOver = true
    this.#plan.end()
    this.#simulation.network.heal()
    this.#simulation.store.setFaults({})
    this.#cluster.calm()
  }

  partition(): void {
    this.#split([this.#half(this.#cluster.names)])
  }

  isolate(): void {
    this.#split([[this.#random.pick(this.#cluster.names)]])
  }

  threeParts(): void {
    const one = this.#half(this.#cluster.names)
    const rest = this.#cluster.names.filter((name) => !one.includes(name))
    this.#split([one, this.#half(rest)])
  }

  /** One pair alone loses touch, both ways or one way. */
  breakLink(): void {
    const [one, other] = this.#two()
    if (other === undefined) return
    if (this.#random.chance(0.5)) this.#simulation.network.partition([one], [other])
    else this.#simulation.network.cut(one, other)
    this.#healLater()
  }

  crash(names: readonly string[]): void {
    const of = this.#random.pick(['process', 'host'] as const)
    for (const name of names) {
      if (!this.#simulation.isAlive(name)) continue
      this.#checks.crashed(name)
      this.#simulation.crash(name, of)
    }
  }

  crashOne(): void {
    this.crash([this.#random.pick(this.#cluster.names)])
  }

  /** All at once but one. */
  crashOthers(): void {
    const last = this.#random.pick(this.#cluster.names)
    this.crash(this.#cluster.names.filter((name) => name !== last))
  }

  /** A side that may just have decided dies, or the other one. */
  crashWithinSplit(): void {
    const side = this.#half(this.#cluster.names)
    this.#split([side])
    this.#simulation.after(this.#random.below(8_000), () => {
      if (!this.#isOver) this.crash(side.filter(() => this.#random.chance(0.7)))
    })
  }

  pause(leastMs: number, mostMs: number): void {
    const forMs = leastMs + this.#random.below(mostMs - leastMs)
    for (const name of this.#half(this.#cluster.names)) {
      if (this.#simulation.isAlive(name)) this.#simulation.pause(name, forMs)
    }
  }

  leave(): void {
    this.mayBeOver = true
    this.#cluster.leave(this.#random.pick(this.#cluster.names))
  }

  /** For some, while other things happen. */
  cutFromStore(): void {
    this.mayBeOver = true
    const how = this.#random.pick(['fails', 'stalls'] as const)
    const forMs = 1_000 + this.#random.below(12_000)
    for (const name of this.#half(this.#cluster.names)) this.#cluster.cutFromStore(name, how, forMs)
  }

  /** The larger side cannot ask, and the smaller one can. */
  splitFromStore(): void {
    this.mayBeOver = true
    const last = this.#random.pick(this.#cluster.names)
    const forMs = 3_000 + this.#random.below(10_000)
    for (const name of this.#cluster.names) {
      if (name !== last) this.#cluster.cutFromStore(name, 'stalls', forMs)
    }
    this.#split([[last]])
  }

  /** Somebody dies, or a side is cut off, while nobody can ask. */
  storeAway(): void {
    this.mayBeOver = true
    const forMs = 1_000 + this.#random.below(10_000)
    this.#simulation.fault('the store does not answer')
    this.#simulation.store.setFaults({ failsBefore: 1 })
    this.#simulation.after(forMs, () => this.#simulation.store.setFaults({}))
    if (this.#random.chance(0.5)) this.crashOne()
    else this.partition()
  }

  crashStore(): void {
    this.mayBeOver = true
    this.#simulation.store.crash(this.#random.below(4_000))
  }

  #split(sides: readonly (readonly string[])[]): void {
    const taken = sides.flat()
    const rest = this.#cluster.names.filter((name) => !taken.includes(name))
    const all = [...sides, rest].filter((side) => side.length > 0)
    if (all.length < 2) return
    this.#simulation.network.partition(...all)
    this.#healLater()
  }

  #healLater(): void {
    const { now } = this.#simulation
    const forMs = this.#random.pick([1_500, 6_000, 15_000]) * this.#random.float()
    this.#healedMs = Math.max(this.#healedMs, now + forMs)
    this.#simulation.after(this.#healedMs - now, () => {
      if (this.#simulation.now >= this.#healedMs) this.#simulation.network.heal()
    })
  }

  #half(names: readonly string[]): readonly string[] {
    const some = names.filter(() => this.#random.chance(0.5))
    return some.length === 0 && names.length > 0 ? [this.#random.pick(names)] : some
  }

  #two(): [string, string | undefined] {
    const one = this.#random.pick(this.#cluster.names)
    const others = this.#cluster.names.filter((name) => name !== one)
    return [one, others.length === 0 ? undefined : this.#random.pick(others)]
  }
}

const plainFaults: readonly Fault[] = [
  (faults) => faults.partition(),
  (faults) => faults.partition(),
  (faults) => faults.isolate(),
  (faults) => faults.threeParts(),
  (faults) => faults.breakLink(),
  (faults) => faults.crashOne(),
  (faults) => faults.crashOthers(),
  (faults) => faults.crashWithinSplit(),
  (faults) => faults.pause(500, 4_000),
  (faults) => faults.pause(4_000, 12_000),
  (faults) => faults.leave(),
]
const storeFaults: readonly Fault[] = [
  (faults) => faults.cutFromStore(),
  (faults) => faults.splitFromStore(),
  (faults) => faults.storeAway(),
  (faults) => faults.crashStore(),
]
