/**
 * Leases on a store that is slow and fails, wanted by nodes that sleep for many times their time to live, die and come back,
 * with clocks that err as much as they may and wall clocks that jump. One holds each at any time; when the faults have
 * ended, somebody does.
 */
import { GoalNotReached, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { LeaseLedger } from './leases/lease-ledger.ts'
import { leaseSettings, LeaseWorker } from './leases/lease-worker.ts'

const CHAOS_MS = 20_000
const nodes = ['a', 'b', 'c']
const names = ['report', 'digest']

export async function leases(simulation: Simulation): Promise<void> {
  const swarm = simulation.random.fork('leases')
  simulation.setEndsProved(swarm.chance(0.3))
  const ledger = new LeaseLedger(simulation, names)
  const start = (name: string): void => {
    const node = simulation.node(name)
    const random = swarm.fork(`worker ${node.label}`)
    new LeaseWorker({ simulation, ledger, names, node, random }).goOn()
  }
  for (const name of nodes) start(name)
  const faults = { isOver: false }
  disturb({ simulation, ledger, random: swarm.fork('faults'), start, faults })
  await simulation.run({ for: CHAOS_MS })
  faults.isOver = true
  simulation.store.setFaults({})
  for (const name of nodes) if (!simulation.isAlive(name)) start(name)
  // All pauses, and then the time to live of whoever was last.
  const within = 25 * leaseSettings.ttlMs
  for (const name of names) {
    try {
      await simulation.runUntil(() => ledger.holdersOf(name).length === 1, { within })
    } catch (error) {
      if (!(error instanceof GoalNotReached)) throw error
      simulation.check('L2: somebody has the lease in the end', false, name)
    }
  }
}

interface Disturbance {
  readonly simulation: Simulation
  readonly ledger: LeaseLedger
  readonly random: SeededRandom
  readonly start: (name: string) => void
  readonly faults: { isOver: boolean }
}

function disturb({ simulation, ledger, random, start, faults }: Disturbance): void {
  const { ttlMs } = leaseSettings
  if (random.chance(0.6)) {
    simulation.store.setFaults({
      latencyMeanMs: random.pick([1, 20, 100]),
      stallChance: random.pick([0, 0.05]),
      stallMaxMs: random.pick([500, 3 * ttlMs]),
      failsBefore: random.pick([0, 0.1, 0.3]),
      failsUnknown: random.pick([0, 0.1, 0.2]),
    })
  }
  const goOn = (): void =>
    simulation.after(200 + random.below(2 * ttlMs), () => {
      if (faults.isOver) return
      const name = random.pick(nodes)
      const kind = random.float()
      if (!simulation.isAlive(name)) start(name)
      else if (kind < 0.2) simulation.crash(name)
      else if (kind < 0.4) ledger.stepsWall(name, random.pick([-3_600_000, 3_600_000]))
      else simulation.pause(name, ttlMs * random.pick([0.3, 0.9, 1.1, 2, 10]))
      goOn()
    })
  goOn()
}
