/** What goes wrong in the scenario of splits: sides lose each other, die, sleep and leave, and the store is away meanwhile. */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { FoundingCluster } from '../founding/founding-cluster.ts'
import { setClock, slowDown } from '../hardships.ts'
import { planFaults, planSlowStore } from '../planned-faults.ts'

type Fault = (faults: SplitsFaults) => void

/** As long as it takes a cluster with these settings to notice a change and to decide about it. */
const EXCUSED_MS = 8_000
/** By then a node has found out that nobody answers on a connection. */
const HALF_OPEN_MS = 6_000

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
  #splitMs = -Infinity
  #flappedMs = -Infinity
  #messyUntilMs = -Infinity

  constructor(parts: {
    readonly simulation: Simulation
    readonly checks: ClusterChecks
    readonly cluster: FoundingCluster
    /** May be drawn as well. */
    readonly more?: readonly Fault[]
  }) {
    this.#simulation = parts.simulation
    this.#checks = parts.checks
    this.#cluster = parts.cluster
    this.#random = this.#simulation.random.fork('faults')
    const swarm = this.#simulation.random.fork('swarm')
    const plain = [...plainFaults, ...(parts.more ?? [])]
    const hasStoreFaults = swarm.chance(0.6)
    const all = hasStoreFaults ? [...plain, ...storeFaults] : plain
    const kinds = all.filter(() => swarm.chance(0.5))
    if (hasStoreFaults && swarm.chance(0.4)) {
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

  /**
   * Why two sides may act for a moment where neither store nor lease decides, if they may: splits that follow each other
   * quickly, and links of which no side can see who lost them.
   */
  get excuseForTwo(): string | undefined {
    const isRecent = (atMs: number): boolean => this.#simulation.now - atMs < EXCUSED_MS
    if (isRecent(this.#messyUntilMs)) return 'links that are cut one way, in part, or half open'
    return isRecent(this.#flappedMs) ? 'a split that came and went' : undefined
  }

  slow(): void {
    const name = this.#random.pick(this.#cluster.names)
    slowDown(this.#simulation, this.#random, name, { leastMs: 1_000, spreadMs: 8_000 })
  }

  stepClock(): void {
    setClock(this.#simulation, this.#random, this.#random.pick(this.#cluster.names))
  }

  /** One has lost its connections with the other, which does not know. */
  halfOpen(): void {
    const [gone, left] = this.#two()
    if (left === undefined) return
    this.#simulation.network.halfOpen(gone, left)
    this.#messyUntilMs = Math.max(this.#messyUntilMs, this.#simulation.now + HALF_OPEN_MS)
  }

  /** Bytes of a life that has ended come when its next one has long been there. */
  hauntByFormerLife(): void {
    const [one, other] = this.#two()
    if (other === undefined) return
    this.#simulation.network.stall(one, other)
    this.#simulation.after(this.#random.below(300), () => {
      if (!this.#isOver) this.crash([one])
    })
    this.#healLater('messy')
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
    this.#healLater('messy')
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
    const { now } = this.#simulation
    if (now - Math.max(this.#splitMs, this.#healedMs) < EXCUSED_MS) this.#flappedMs = now
    this.#splitMs = now
    this.#healLater('clean')
  }

  #healLater(kind: 'clean' | 'messy'): void {
    const { now } = this.#simulation
    const forMs = this.#random.pick([1_500, 6_000, 15_000]) * this.#random.float()
    this.#healedMs = Math.max(this.#healedMs, now + forMs)
    // What is cut in part lasts as long as any cut.
    if (kind === 'messy') this.#messyUntilMs = Math.max(this.#messyUntilMs, this.#healedMs)
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
/** Of machines that are short of CPU, whose clocks are set, and whose connections are not what they seem. */
export const hardships: readonly Fault[] = [
  (faults) => faults.slow(),
  (faults) => faults.slow(),
  (faults) => faults.stepClock(),
  (faults) => faults.halfOpen(),
  (faults) => faults.hauntByFormerLife(),
]
const storeFaults: readonly Fault[] = [
  (faults) => faults.cutFromStore(),
  (faults) => faults.splitFromStore(),
  (faults) => faults.storeAway(),
  (faults) => faults.crashStore(),
]
