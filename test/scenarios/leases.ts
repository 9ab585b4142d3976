/**
 * Leases on a store that is slow and fails, wanted by nodes that sleep for many times their time to live, get little CPU, die and
 * come back, with clocks that err as much as they may and wall clocks that jump. One holds each at any time; when the faults
 * have ended, somebody does.
 */
import { GoalNotReached, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { LeaseLedger } from './leases/lease-ledger.ts'
import { leaseSettings, LeaseWorker } from './leases/lease-worker.ts'
import { planClocks, planFaults } from './planned-faults.ts'

const CHAOS_MS = 20_000
const nodes = ['a', 'b', 'c']
const names = ['report', 'digest']

/** Befalls a node that lives. */
type Fault = (name: string, random: SeededRandom) => void

export async function leases(simulation: Simulation): Promise<void> {
  const swarm = simulation.random.fork('leases')
  simulation.setEndsProved(swarm.chance(0.3))
  const ledger = new LeaseLedger(simulation, names)
  const clockOf = planClocks(simulation, nodes, leaseSettings.clockDriftMax)
  const start = (name: string): void => {
    if (simulation.isAlive(name)) return
    const node = simulation.node(name, clockOf(name))
    const random = swarm.fork(`worker ${node.label}`)
    new LeaseWorker({ simulation, ledger, names, node, random }).goOn()
  }
  for (const name of nodes) start(name)
  const faults = disturb({ simulation, ledger, swarm: swarm.fork('faults'), start })
  await simulation.run({ for: CHAOS_MS })
  faults.end()
  simulation.store.setFaults({})
  for (const name of nodes) start(name)
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
  readonly swarm: SeededRandom
  readonly start: (name: string) => void
}

function disturb({ simulation, ledger, swarm, start }: Disturbance): { end(): void } {
  const { ttlMs } = leaseSettings
  if (swarm.chance(0.6)) {
    simulation.plan('a store that is slow, stalls and fails', (random) =>
      simulation.store.setFaults({
        latencyMeanMs: random.pick([1, 20, 100]),
        stallChance: random.pick([0, 0.05]),
        stallMaxMs: random.pick([500, 3 * ttlMs]),
        failsBefore: random.pick([0, 0.1, 0.3]),
        failsUnknown: random.pick([0, 0.1, 0.2]),
      }),
    )
  }
  const faults: readonly Fault[] = [
    (name, random) => {
      simulation.crash(name)
      simulation.after(200 + random.below(2 * ttlMs), () => start(name))
    },
    (name, random) => ledger.stepsWall(name, random.pick([-3_600_000, 3_600_000])),
    ...[0.3, 0.9, 1.1, 2, 10].map(
      (ttls): Fault =>
        (name) =>
          simulation.pause(name, ttlMs * ttls),
    ),
    (name, random) => {
      const stepMeanMs = random.pick([1, 10, 50])
      simulation.slow(name, { stepMeanMs, for: random.below(4 * ttlMs) })
    },
  ]
  const kinds = faults.filter(() => swarm.chance(0.6))
  const times = { leastMs: 200, moreMs: 2 * ttlMs }
  return planFaults(simulation, { kinds, times }, (fault, random) => {
    const name = random.pick(nodes)
    if (simulation.isAlive(name)) fault(name, random)
  })
}
