/** The end of a scenario, for membership: when nothing changes any more, all views of the cluster become one. */
import { type ClusterChecks, GoalNotReached, type Simulation } from '../../src/simulation/index.ts'

/** To be asked for when the cluster is whole. Many rounds of gossip: one is half a second. */
const WITHIN = '20s'

export async function viewsConverge(simulation: Simulation, checks: ClusterChecks): Promise<void> {
  try {
    await simulation.runUntil(() => checks.members.disagreement === undefined, { within: WITHIN })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    simulation.check('views converge', false, checks.members.disagreement)
  }
}
