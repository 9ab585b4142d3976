/**
 * Who goes on when a cluster falls apart and the store decides: two to five nodes with plain and durable entities under calls,
 * in splits of all kinds, with deaths, sleep and leaving in their midst, and a store that is slow or away for some or for all.
 * One side goes on, nothing is active twice, and when the faults have ended everybody is in one cluster and answers.
 */
import { ClusterChecks, GoalNotReached, type Simulation } from '../../src/simulation/index.ts'
import { FoundingCluster } from './founding/founding-cluster.ts'
import { spineSettings } from './spine/spine-settings.ts'
import { OneSide } from './splits/one-side.ts'
import { SplitsFaults } from './splits/splits-faults.ts'
import { places } from './splits/splits-places.ts'
import { viewsConverge } from './views-converge.ts'

const CHAOS_MS = 40_000
/** All restarts, deadlines and waits one after the other, and then some. */
const RECOVERY = '90s'
/** As the nodes of `FoundingCluster` have it. */
const NAME = 'founding'

export async function splits(simulation: Simulation): Promise<void> {
  const checks = new ClusterChecks(simulation, { store: simulation.store })
  const oneSide = new OneSide(simulation, NAME)
  const swarm = simulation.random.fork('splits')
  // On one host the end of a process can be proven; between hosts only the store tells who goes on.
  simulation.setEndsProved(swarm.chance(0.3))
  const { cluster: timing, ...settings } = spineSettings(swarm)
  const seeds = swarm.pick([
    ['a', 'b'],
    ['a', 'b', 'c'],
    ['a', 'b', 'c', 'd'],
    ['a', 'b', 'c', 'd', 'e'],
  ])
  const cluster = new FoundingCluster({
    ...{ simulation, checks, seeds, others: [], watch: oneSide },
    settings: { ...settings, cluster: { ...timing, downing: { strategy: 'store-majority' } } },
  })
  await simulation.runUntil(() => cluster.isWhole, { within: '20s', what: 'the cluster forms' })
  let isExtinct = false
  simulation.always('somebody is left, or nobody is', () => {
    const [first, ...others] = cluster.up
    isExtinct ||= first === undefined
    const isAlone = first?.node.cluster.state.members.length === 1
    if (isAlone && others.length === 0 && !first.node.cluster.isFrozen) {
      simulation.reached(places.last)
    }
    return true
  })
  const faults = new SplitsFaults({ simulation, checks, cluster })
  await simulation.run({ for: CHAOS_MS })
  faults.end()
  try {
    await simulation.runUntil(() => cluster.isWhole, { within: RECOVERY })
    await simulation.settle(cluster.allAnswer(), { within: '40s', what: 'an answer of everybody' })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    simulation.check('the survivors are one cluster and answer', false, cluster.state)
  }
  await viewsConverge(simulation, checks)
  // Where the store could be asked all the time, a cluster ends only with its last member.
  const isOne = checks.foundings.count === 1
  simulation.check(
    'a cluster goes on while somebody is left',
    isOne || isExtinct || faults.mayBeOver,
    `it was founded ${checks.foundings.count} times`,
  )
}
