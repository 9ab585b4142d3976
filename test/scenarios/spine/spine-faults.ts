/** What goes wrong in the spine scenario: which kinds of faults there are is drawn by seed, then when and where. */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { SpineCluster } from './spine-cluster.ts'

type Fault = (faults: SpineFaults) => void

export class SpineFaults {
  readonly #simulation: Simulation
  readonly #checks: ClusterChecks
  readonly #cluster: SpineCluster
  readonly #random: SeededRandom
  readonly #kinds: readonly Fault[]
  readonly #newNames = ['d', 'e']
  #isOver = false
  #linkTroubleUntilMs = 0

  constructor(simulation: Simulation, checks: ClusterChecks, cluster: SpineCluster) {
    this.#simulation = simulation
    this.#checks = checks
    this.#cluster = cluster
    this.#random = simulation.random.fork('faults')
    const { random } = simulation
    const swarm = random.fork('swarm')
    this.#kinds = allFaults.filter(() => swarm.chance(0.5))
    if (swarm.chance(0.5)) this.#troubleStore(swarm)
    this.#goOn()
  }

  /** The end of all faults: what follows must come right again. */
  end(): void {
    this.#isOver = true
    this.#simulation.network.heal()
    this.#simulation.store.setFaults({})
  }

  partition(): void {
    const { names } = this.#cluster
    const side = names.filter(() => this.#random.chance(0.5))
    const other = names.filter((name) => !side.includes(name))
    if (side.length === 0 || other.length === 0) return
    this.#simulation.network.partition(side, other)
    this.#healLater()
  }

  cutOneWay(): void {
    const [from, to] = this.#two()
    this.#simulation.network.cut(from, to)
    this.#healLater()
  }

  cutOneLink(): void {
    const [one, other] = this.#two()
    this.#simulation.network.partition([one], [other])
    this.#healLater()
  }

  stall(): void {
    const [one, other] = this.#two()
    this.#simulation.network.stall(one, other)
    this.#healLater()
  }

  reset(): void {
    const [one, other] = this.#two()
    this.#simulation.network.reset(one, other)
  }

  crash(of: 'process' | 'host'): void {
    const name = this.#random.pick(this.#cluster.names)
    if (!this.#simulation.isAlive(name)) return
    this.#checks.losses.crashed()
    this.#simulation.crash(name, of)
  }

  pause(leastMs: number, mostMs: number): void {
    const name = this.#random.pick(this.#cluster.names)
    if (!this.#simulation.isAlive(name)) return
    this.#simulation.pause(name, leastMs + this.#random.below(mostMs - leastMs))
  }

  leave(): void {
    this.#cluster.leave(this.#random.pick(this.#cluster.names))
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
    const latency = { minMs: 5, meanMs: 40, tailChance: 0.02, tailMs: 500 }
    this.#simulation.network.latency(latency, [one, other])
  }

  #troubleStore(swarm: SeededRandom): void {
    this.#simulation.store.setFaults({
      latencyMeanMs: swarm.pick([1, 5, 20]),
      stallChance: swarm.pick([0, 0.02]),
      stallMaxMs: 3_000,
      failsBefore: swarm.pick([0, 0.02, 0.1]),
      failsUnknown: swarm.pick([0, 0.02, 0.05]),
    })
  }

  #goOn(): void {
    this.#simulation.after(300 + this.#random.below(3_500), () => {
      if (this.#isOver || this.#kinds.length === 0) return
      this.#random.pick(this.#kinds)(this)
      this.#goOn()
    })
  }

  #healLater(): void {
    const afterMs = this.#random.chance(0.5) ? 1_500 : 9_000
    const untilMs = this.#simulation.now + this.#random.below(afterMs)
    this.#linkTroubleUntilMs = Math.max(this.#linkTroubleUntilMs, untilMs)
    this.#simulation.after(untilMs - this.#simulation.now, () => {
      if (!this.#isOver && this.#simulation.now >= this.#linkTroubleUntilMs) {
        this.#simulation.network.heal()
      }
    })
  }

  #two(): [string, string] {
    const { names } = this.#cluster
    const one = this.#random.pick(names)
    return [one, this.#random.pick(names.filter((name) => name !== one))]
  }
}

const allFaults: readonly Fault[] = [
  (faults) => faults.partition(),
  (faults) => faults.cutOneWay(),
  (faults) => faults.cutOneLink(),
  (faults) => faults.stall(),
  (faults) => faults.reset(),
  (faults) => faults.crash('process'),
  (faults) => faults.crash('host'),
  (faults) => faults.pause(50, 1_000),
  (faults) => faults.pause(1_000, 12_000),
  (faults) => faults.leave(),
  (faults) => faults.join(),
  (faults) => faults.slowNetwork(),
]
