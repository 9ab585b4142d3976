/** What goes wrong in the spine scenario: which kinds of faults there are is drawn by seed, then when and where. */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import { setClock, slowDown } from '../hardships.ts'
import { planFaults } from '../planned-faults.ts'
import type { SpineCluster } from './spine-cluster.ts'
import type { SpineLoad } from './spine-load.ts'

/** As long as it takes a cluster with these settings to notice a change and to decide about it. */
const EXCUSED_MS = 6_000

/** Time enough to join and to leave on one side, and for that side to decide without the other. */
const SPLIT_LONG_MS = 12_000

/** By then a node has found out that nobody answers on a connection. */
const HALF_OPEN_MS = 6_000

const slowLatency = { minMs: 5, meanMs: 40, tailChance: 0.02, tailMs: 500 }
const unevenLatency = { minMs: 1, meanMs: 5, tailChance: 0.2, tailMs: 400 }

/** What goes wrong; without a load nothing is added to it. */
interface FaultyParts {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly cluster: SpineCluster
  readonly load?: Pick<SpineLoad, 'stream'>
  /** Nodes that may join; two when not given. */
  readonly newNames?: readonly string[]
}

export type Fault = (faults: SpineFaults) => void

export class SpineFaults {
  readonly #simulation: Simulation
  readonly #checks: ClusterChecks
  readonly #cluster: SpineCluster
  readonly #load: Pick<SpineLoad, 'stream'> | undefined
  readonly #plan: { end(): void }
  readonly #newNames: string[]
  readonly #moveFaults: readonly Fault[]
  /** Of the fault that is carried out. */
  #random: SeededRandom
  #moveFaultChance = 0
  #breaksReturns = false
  #isOver = false
  #linkTroubleUntilMs = 0
  #messyUntilMs = -Infinity
  /** Links are cut one way, in part, or stall. Until the network is whole: its end may come later than planned. */
  #areLinksMessy = false

  /** `only` are the faults to have, instead of those that are drawn; `more` may be drawn as well. */
  constructor(parts: FaultyParts, only?: readonly Fault[], more?: MoreFaults) {
    const { simulation, checks, cluster, load, newNames = ['d', 'e'] } = parts
    this.#newNames = [...newNames]
    this.#simulation = simulation
    this.#checks = checks
    this.#cluster = cluster
    this.#load = load
    this.#random = simulation.random.fork('faults')
    const { random } = simulation
    const swarm = random.fork('swarm')
    const clean = [...cleanFaults, ...(more?.clean ?? [])]
    const messy = [...messyFaults, ...(more?.messy ?? [])]
    const isMessy = only === undefined && swarm.chance(0.5)
    const kinds = isMessy ? [...clean, ...messy] : clean
    const drawn = only ?? kinds.filter(() => swarm.chance(0.5))
    this.#moveFaults = isMessy ? [...moveFaults, ...messy] : moveFaults
    if (only === undefined) this.#planAttendants(swarm, isMessy)
    const times = { leastMs: 300, moreMs: 3_500 }
    this.#plan = planFaults(simulation, { kinds: drawn, times }, (fault, own) => {
      this.#random = own
      fault(this)
    })
  }

  /** What does not come at a time of its own: the first of the plan. */
  #planAttendants(swarm: SeededRandom, isMessy: boolean): void {
    const simulation = this.#simulation
    if (swarm.chance(0.5)) {
      simulation.plan('a store that is slow, stalls and fails', (own) => this.#troubleStore(own))
    }
    const chance = swarm.pick([0, 0, 0.3])
    if (chance > 0) {
      simulation.plan('faults while shards move', () => (this.#moveFaultChance = chance))
    }
    if (!isMessy || !swarm.chance(0.7)) return
    // What comes back one by one can be parted by a break.
    simulation.plan('breaks while messages come back', () => {
      this.#breaksReturns = true
      simulation.network.latency(unevenLatency)
    })
  }

  /** A shard begins to move: what is told and sent meanwhile is what a hand-off must not lose or mix up. */
  onMove(): void {
    if (this.#isOver) return
    if (this.#breaksReturns) this.#load?.stream()
    if (!this.#random.chance(this.#moveFaultChance)) return
    this.#simulation.after(this.#random.below(100), () => {
      if (!this.#isOver) this.#random.pick(this.#moveFaults)(this)
    })
  }

  /** A message comes back to that life: more may follow, and the way to where it was is the fence of the next route. */
  onReturn(label: string, from: string): void {
    const { network, now } = this.#simulation
    if (this.#isOver || !this.#breaksReturns || now < this.#messyUntilMs) return
    const to = label.slice(0, label.indexOf('#'))
    const forMs = 100 + this.#random.below(600)
    this.#messyUntilMs = now + forMs
    network.breakAt(to, from)
    network.cut(from, to)
    this.#simulation.after(forMs, () => network.join(from, to))
  }

  /** The end of all faults: what follows must come right again. */
  end(): void {
    this.#isOver = true
    this.#plan.end()
    this.#heal()
    this.#simulation.store.setFaults({})
  }

  /** Whether anything happened in this run after which two instances may be active for a while. */
  get mayNeedExcuse(): boolean {
    return this.#messyUntilMs > -Infinity
  }

  /** Why two instances of an entity may be active now, if they may. */
  get excuseForTwo(): string | undefined {
    const isRecent = (atMs: number): boolean => this.#simulation.now - atMs < EXCUSED_MS
    const isMessy = this.#areLinksMessy || isRecent(this.#messyUntilMs)
    return isMessy ? 'links that are cut one way, in part, or stall' : undefined
  }

  /** It lasts up to so long, or as long as any cut. */
  partition(forMs?: number): void {
    const { names } = this.#cluster
    const side = names.filter(() => this.#random.chance(0.5))
    const other = names.filter((name) => !side.includes(name))
    if (side.length === 0 || other.length === 0) return
    this.#simulation.network.partition(side, other)
    this.#healLater('clean', forMs)
  }

  /** The same side is cut off again and again: the other may have counted for a while when this one loses touch anew. */
  flap(): void {
    const { names } = this.#cluster
    const side = names.filter(() => this.#random.chance(0.4))
    const other = names.filter((name) => !side.includes(name))
    if (side.length === 0 || other.length === 0) return
    const cut = (left: number): void => {
      if (this.#isOver) return
      this.#simulation.network.partition(side, other)
      this.#simulation.after(600 + this.#random.below(1_500), () => {
        if (this.#isOver || this.#simulation.now < this.#linkTroubleUntilMs) return
        this.#heal()
        if (left > 0) this.#simulation.after(100 + this.#random.below(900), () => cut(left - 1))
      })
    }
    cut(2 + this.#random.below(4))
  }

  cutOneWay(): void {
    const [from, to] = this.#two()
    this.#simulation.network.cut(from, to)
    this.#healLater('messy')
  }

  cutOneLink(): void {
    const [one, other] = this.#two()
    this.#simulation.network.partition([one], [other])
    this.#healLater('messy')
  }

  stall(): void {
    const [one, other] = this.#two()
    this.#simulation.network.stall(one, other)
    this.#healLater('messy')
  }

  /** Bytes of a connection that one side has given up come to the other when a new one has long been there. */
  haunt(): void {
    const [one, other] = this.#two()
    this.#simulation.network.stall(one, other)
    this.#simulation.after(this.#random.below(300), () => {
      if (!this.#isOver) this.#simulation.network.breakAt(one, other)
    })
    this.#healLater('messy')
  }

  /** Bytes of a life that has ended come when its next one has long been there. */
  hauntByFormerLife(): void {
    const [one, other] = this.#two()
    if (!this.#simulation.isAlive(one)) return
    this.#simulation.network.stall(one, other)
    this.#simulation.after(this.#random.below(300), () => {
      if (!this.#isOver) this.#crash(one, 'process')
    })
    this.#healLater('messy')
  }

  /** One has lost its connections with the other, which does not know. */
  halfOpen(): void {
    const [gone, left] = this.#two()
    this.#simulation.network.halfOpen(gone, left)
    this.#messyUntilMs = Math.max(this.#messyUntilMs, this.#simulation.now + HALF_OPEN_MS)
  }

  slow(): void {
    const name = this.#random.pick(this.#cluster.names)
    slowDown(this.#simulation, this.#random, name, { leastMs: 1_000, spreadMs: 5_000 })
  }

  stepClock(): void {
    setClock(this.#simulation, this.#random, this.#random.pick(this.#cluster.names))
  }

  reset(): void {
    const [one, other] = this.#two()
    this.#simulation.network.reset(one, other)
  }

  crash(of: 'process' | 'host'): void {
    this.#crash(this.#random.pick(this.#cluster.names), of)
  }

  #crash(name: string, of: 'process' | 'host'): void {
    if (!this.#simulation.isAlive(name)) return
    this.#checks.crashed(name)
    this.#simulation.crash(name, of)
  }

  pause(leastMs: number, mostMs: number): void {
    const name = this.#random.pick(this.#cluster.names)
    if (!this.#simulation.isAlive(name)) return
    this.#simulation.pause(name, leastMs + this.#random.below(mostMs - leastMs))
  }

  leave(name = this.#random.pick(this.#cluster.names)): void {
    this.#simulation.fault(`${name} leaves`)
    this.#cluster.leave(name)
  }

  /** Nodes come and go while some cannot see the others; often it is the oldest that goes, and has most to hand over. */
  changeWhileSplit(): void {
    this.partition(SPLIT_LONG_MS)
    for (let count = 1 + this.#random.below(2); count > 0; count--) {
      this.#simulation.after(this.#random.below(2_000), () => {
        if (this.#isOver) return
        if (this.#newNames.length > 0 && this.#random.chance(0.4)) this.join()
        else this.leave(this.#random.chance(0.5) ? this.#cluster.names[0] : undefined)
      })
    }
  }

  join(): void {
    const name = this.#newNames.shift()
    if (name === undefined) return
    this.#simulation.fault(`${name} joins`)
    this.#cluster.add(name)
  }

  slowNetwork(): void {
    this.#simulation.fault('slow network')
    const [one, other] = this.#two()
    const latency = this.#random.pick([slowLatency, unevenLatency])
    if (this.#random.chance(0.5)) this.#simulation.network.latency(latency)
    else this.#simulation.network.latency(latency, [one, other])
  }

  #troubleStore(random: SeededRandom): void {
    this.#simulation.store.setFaults({
      latencyMeanMs: random.pick([1, 5, 20]),
      stallChance: random.pick([0, 0.02, 0.05]),
      // Long enough for a node to be replaced while a write of it is under way.
      stallMaxMs: random.pick([3_000, 12_000]),
      failsBefore: random.pick([0, 0.02, 0.1]),
      failsUnknown: random.pick([0, 0.02, 0.05]),
    })
  }

  #healLater(kind: 'clean' | 'messy' = 'clean', forMs?: number): void {
    const afterMs = forMs ?? (this.#random.chance(0.5) ? 1_500 : 9_000)
    const untilMs = this.#simulation.now + this.#random.below(afterMs)
    this.#linkTroubleUntilMs = Math.max(this.#linkTroubleUntilMs, untilMs)
    // Links that were healed come back one by one, and what was stalled may be healed by a later fault's end.
    if (kind === 'messy') {
      this.#messyUntilMs = Math.max(this.#messyUntilMs, this.#linkTroubleUntilMs)
      this.#areLinksMessy = true
    }
    this.#simulation.after(untilMs - this.#simulation.now, () => {
      if (!this.#isOver && this.#simulation.now >= this.#linkTroubleUntilMs) this.#heal()
    })
  }

  #heal(): void {
    this.#simulation.network.heal()
    if (!this.#areLinksMessy) return
    this.#areLinksMessy = false
    this.#messyUntilMs = Math.max(this.#messyUntilMs, this.#simulation.now)
  }

  #two(): [string, string] {
    const { names } = this.#cluster
    const one = this.#random.pick(names)
    return [one, this.#random.pick(names.filter((name) => name !== one))]
  }
}

/** After these no side can know what the other sees: two may survive for a while, which is excused and counted. */
const messyFaults: readonly Fault[] = [
  (faults) => faults.cutOneWay(),
  (faults) => faults.cutOneLink(),
  (faults) => faults.stall(),
  (faults) => faults.haunt(),
]

const moveFaults: readonly Fault[] = [
  (faults) => faults.reset(),
  (faults) => faults.pause(50, 1_000),
  (faults) => faults.crash('process'),
  (faults) => faults.slowNetwork(),
]

export interface MoreFaults {
  readonly clean: readonly Fault[]
  readonly messy: readonly Fault[]
}

/** Of machines that are short of CPU, whose clocks are set, and whose connections are not what they seem. */
export const hardships: MoreFaults = {
  clean: [
    (faults) => faults.slow(),
    (faults) => faults.slow(),
    (faults) => faults.stepClock(),
    (faults) => faults.stepClock(),
  ],
  messy: [(faults) => faults.halfOpen(), (faults) => faults.hauntByFormerLife()],
}

export const onlyFlaps: readonly Fault[] = [(faults) => faults.flap()]

const cleanFaults: readonly Fault[] = [
  (faults) => faults.partition(),
  (faults) => faults.flap(),
  (faults) => faults.changeWhileSplit(),
  (faults) => faults.reset(),
  (faults) => faults.crash('process'),
  (faults) => faults.crash('host'),
  (faults) => faults.pause(50, 1_000),
  (faults) => faults.pause(1_000, 12_000),
  (faults) => faults.leave(),
  (faults) => faults.join(),
  (faults) => faults.slowNetwork(),
]
