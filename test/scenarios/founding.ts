/**
 * How a cluster is founded, and founded again: seeds and members that are no seeds, plain and durable entities under calls,
 * restarts, deaths, pauses and cuts of seeds and of others, a store that is slow or away for some or for all, and a
 * process without seeds. One founding lives at any time; when the faults have ended, everybody is in one cluster.
 */
import { ClusterChecks, GoalNotReached, type Simulation } from '../../src/simulation/index.ts'
import { FoundingCluster } from './founding/founding-cluster.ts'
import { FoundingFaults } from './founding/founding-faults.ts'
import { places } from './founding/founding-places.ts'
import { spineSettings } from './spine/spine-settings.ts'
import { viewsConverge } from './views-converge.ts'

const CHAOS_MS = 35_000
/** All restarts, deadlines and waits one after the other, and then some. */
const RECOVERY = '90s'

export async function founding(simulation: Simulation): Promise<void> {
  const checks = new ClusterChecks(simulation, {
    store: simulation.store,
    excuseForTwo: () => trouble.now?.excuseForTwo,
  })
  const trouble: { now?: FoundingFaults } = {}
  const swarm = simulation.random.fork('founding')
  // On one host the end of a process can be proven; between hosts nobody can tell it from silence.
  simulation.setEndsProved(swarm.chance(0.4))
  const seeds = swarm.pick([['a'], ['a', 'b'], ['a', 'b', 'c']])
  const others = swarm.pick([['d'], ['d', 'e'], ['d', 'e', 'f']])
  const cluster = new FoundingCluster({
    ...{ simulation, checks, seeds, others },
    settings: spineSettings(swarm),
  })
  await simulation.runUntil(() => cluster.isWhole, { within: '20s', what: 'the cluster forms' })
  const faults = new FoundingFaults({ simulation, checks, cluster, seeds })
  trouble.now = faults
  await simulation.run({ for: CHAOS_MS })
  faults.end()
  try {
    await simulation.runUntil(() => cluster.isWhole, { within: RECOVERY })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    simulation.check('everybody is in one cluster in the end', false, cluster.state)
  }
  await viewsConverge(simulation, checks)
  if (checks.foundings.count > 1) simulation.reached(places.foundAgain)
}
