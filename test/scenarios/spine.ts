/**
 * The whole spine: three to five nodes with durable lists and inboxes, load from every node, and faults by seed. First
 * chaos, in which only safety is checked; then all faults end, and everything must come right within a bounded time.
 */
import { ClusterChecks, type Simulation } from '../../src/simulation/index.ts'
import { SpineCluster } from './spine/spine-cluster.ts'
import { conclude, everyEntityAnswers, type SpineParts } from './spine/spine-end.ts'
import { inboxes, listEntity, notesIn } from './spine/spine-entities.ts'
import { SpineFaults } from './spine/spine-faults.ts'
import { SpineLoad } from './spine/spine-load.ts'
import { watched } from './spine/spine-probes.ts'
import { spineSettings } from './spine/spine-settings.ts'

const CHAOS_MS = 14_000

export async function spine(simulation: Simulation): Promise<void> {
  const checks = new ClusterChecks(simulation, {
    idsIn: notesIn,
    store: simulation.store,
    excuseForTwo: () => faults?.excuseForTwo,
  })
  let faults: SpineFaults | undefined
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    overran: () => checks.losses.overran(),
    moves: () => faults?.onMove(),
    returns: (from: string) => faults?.onReturn(simulation.here, from),
  }
  await watched(watcher, async () => {
    const parts = build(simulation, checks)
    const { cluster } = parts
    await simulation.runUntil(() => cluster.isWhole, { within: '20s', what: 'the cluster forms' })
    faults = new SpineFaults(simulation, checks, cluster)
    await simulation.run({ for: CHAOS_MS })
    faults.end()
    await recover(parts)
  })
}

function build(simulation: Simulation, checks: ClusterChecks): SpineParts {
  const list = listEntity(simulation, checks)
  const load = new SpineLoad({
    ...{ simulation, checks, list },
    ...{ entities: 4, pauseMs: 180, longMaxMs: 20_000, isSlowShared: true },
  })
  const swarm = simulation.random.fork('settings')
  const cluster = new SpineCluster(
    {
      ...{ simulation, checks, list },
      settings: spineSettings(swarm),
      inbox: inboxes(simulation, checks, {
        stopMaxMs: swarm.pick([0, 100, 500, 1_500]),
        restChance: swarm.pick([0, 0.02, 0.1]),
      }),
      onUp: (running) => load.begin(running),
    },
    ['a', 'b', 'c'],
  )
  return { simulation, checks, cluster, list, load }
}

async function recover(parts: SpineParts): Promise<void> {
  const { simulation, cluster, load } = parts
  load.hurry()
  const within = '90s'
  await simulation.runUntil(() => cluster.isWhole, { within, what: 'the cluster is whole again' })
  await everyEntityAnswers(parts)
  load.end()
  // Calls under way end, and idle entities are stopped: what is read then comes from the journal.
  await simulation.run({ for: '3s' })
  await conclude(parts)
}
