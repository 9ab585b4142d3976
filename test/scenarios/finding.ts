/**
 * Nodes that find each other by answers that differ: three to five without seeds, who ask a name server that tells some of them
 * a part, what was true before, nothing at all or an error, while they die, sleep, are cut off, and so is the store that all
 * share. One founding lives at any time; when the faults have ended, everybody is in one cluster.
 */
import type { NodeSettings } from '../../src/node/index.ts'
import {
  ClusterChecks,
  GoalNotReached,
  type SeededRandom,
  type Simulation,
} from '../../src/simulation/index.ts'
import { answerPlaces, NameServer } from './finding/name-server.ts'
import { FoundingCluster } from './founding/founding-cluster.ts'
import { commonFaults, FoundingFaults, hardships } from './founding/founding-faults.ts'
import { planClocks } from './planned-faults.ts'
import { spineSettings } from './spine/spine-settings.ts'
import { viewsConverge } from './views-converge.ts'

const CHAOS_MS = 35_000
/** All restarts, deadlines and waits one after the other, and then some. */
const RECOVERY = '120s'

const foundAgain = 'a cluster is founded anew'

export const findingPlaces: readonly string[] = [
  ...answerPlaces,
  foundAgain,
  'a node freezes: founding',
  'a node freezes: minority',
]

export async function finding(simulation: Simulation): Promise<void> {
  const trouble: { now?: FoundingFaults } = {}
  const checks = new ClusterChecks(simulation, {
    store: simulation.store,
    excuseForTwo: () => trouble.now?.excuseForTwo,
  })
  const swarm = simulation.random.fork('finding')
  simulation.setEndsProved(swarm.chance(0.4))
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, swarm.pick([3, 4, 5]))
  const servers = new NameServer(simulation, names)
  // Where the store has the last word, also so few may found that all would.
  const requiredNodes = swarm.pick([1, 2, 1 + Math.floor(names.length / 2), names.length])
  // The first start is disturbed as every other is.
  if (swarm.chance(0.7)) simulation.plan('', (random) => servers.confuse(random))
  const cluster = new FoundingCluster({
    ...{ simulation, checks, seeds: names, others: [], settings: settingsBy(swarm) },
    clockOf: planClocks(simulation, names),
    discoveryOf: (name) => ({ lookUp: servers.lookUpFor(name), requiredNodes }),
  })
  const faults = new FoundingFaults({
    ...{ simulation, checks, cluster, seeds: names.slice(0, 2) },
    kinds: [
      ...commonFaults,
      ...hardships,
      ({ random }) => servers.confuse(random),
      ({ random }) => servers.confuse(random),
      ({ random }) => servers.divide(random),
    ],
  })
  trouble.now = faults
  await simulation.run({ for: CHAOS_MS })
  faults.end()
  servers.calm()
  try {
    await simulation.runUntil(() => cluster.isWhole, { within: RECOVERY })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    simulation.check('everybody is in one cluster in the end', false, cluster.state)
  }
  await viewsConverge(simulation, checks)
  if (checks.foundings.count > 1) simulation.reached(foundAgain)
}

function settingsBy(swarm: SeededRandom): NodeSettings {
  const spine = spineSettings(swarm)
  return {
    ...spine,
    cluster: {
      ...spine.cluster,
      ...{ discoveryIntervalMs: 300, discoveryTimeoutMs: 2_000, discoveryStillMs: 1_500 },
      joinDeadlineMs: 30_000,
      downing: { strategy: swarm.pick(['keep-majority', 'store-majority']) },
    },
  }
}
