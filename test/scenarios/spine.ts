/**
 * The whole spine: three to five nodes with durable lists and inboxes, load from every node, and faults by seed. First
 * chaos, in which only safety is checked; then all faults end, and everything must come right within a bounded time.
 */
import { ClusterChecks, type Simulation } from '../../src/simulation/index.ts'
import { SpineCluster } from './spine/spine-cluster.ts'
import { conclude, everyEntityAnswers, type SpineParts, whenSettled } from './spine/spine-end.ts'
import { diaries, inboxes, listEntity, notesIn } from './spine/spine-entities.ts'
import { type ErringClock, planClocks } from './planned-faults.ts'
import {
  type Fault,
  hardships,
  type MoreFaults,
  onlyFlaps,
  SpineFaults,
} from './spine/spine-faults.ts'
import { SpineLoad } from './spine/spine-load.ts'
import { watched } from './spine/spine-probes.ts'
import { spineSettings } from './spine/spine-settings.ts'
import { SpineWatches } from './spine/spine-watches.ts'
import { viewsConverge } from './views-converge.ts'

interface WatchingParts extends SpineParts {
  readonly watches: SpineWatches
}

const CHAOS_MS = 14_000
/** What went wrong longer ago than this does not explain a loss: with these settings all is decided by then. */
const LINGERS_MS = 12_000
const CALL_TIMEOUT_MS = 2_000

/** All kinds of faults that a seed may choose. */
export function spine(simulation: Simulation): Promise<void> {
  return play(simulation)
}

/** One kind alone: a side is cut off again and again. */
export function spineFlaps(simulation: Simulation): Promise<void> {
  return play(simulation, { only: onlyFlaps })
}

/**
 * All kinds, and more: machines that are short of CPU, clocks that run at rates of their own and are set, connections that
 * one end has lost without a word, and bytes of former lives.
 */
export function spineHardships(simulation: Simulation): Promise<void> {
  return play(simulation, { more: hardships })
}

interface Choice {
  readonly only?: readonly Fault[]
  readonly more?: MoreFaults
}

async function play(simulation: Simulation, { only, more }: Choice = {}): Promise<void> {
  const checks = new ClusterChecks(simulation, {
    idsIn: notesIn,
    store: simulation.store,
    lingersMs: LINGERS_MS,
    excuseForTwo: () => faults?.excuseForTwo,
  })
  let faults: SpineFaults | undefined
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    contradicts: (what: string) => simulation.check('nobody heeds an old word', false, what),
    overran: () => checks.losses.overran(simulation.here),
    moves: () => faults?.onMove(),
    returns: (from: string) => faults?.onReturn(simulation.here, from),
  }
  await watched(watcher, async () => {
    const clockOf = more && planClocks(simulation, ['a', 'b', 'c', 'd', 'e'])
    const parts = build(simulation, checks, clockOf)
    const { cluster } = parts
    await simulation.runUntil(() => cluster.isWhole, { within: '20s', what: 'the cluster forms' })
    faults = new SpineFaults(parts, only, more)
    await simulation.run({ for: CHAOS_MS })
    faults.end()
    await recover(parts)
    if (faults.mayNeedExcuse) return
    const forTwo = Object.keys(simulation.excuses).filter((name) => /^(S1|D4)/.test(name))
    simulation.check(
      'two instances are excused only where no side can know the other',
      forTwo.length === 0,
      forTwo.join('; '),
    )
  })
}

function build(
  simulation: Simulation,
  checks: ClusterChecks,
  clockOf?: (name: string) => ErringClock,
): WatchingParts {
  const list = listEntity(simulation, checks)
  const load = new SpineLoad({
    ...{ simulation, checks, list },
    ...{ entities: 4, diaries: 3, pauseMs: 180, longMaxMs: 20_000, isSlowShared: true },
    callTimeoutMs: CALL_TIMEOUT_MS,
  })
  const watches = new SpineWatches(simulation)
  const swarm = simulation.random.fork('settings')
  const restChance = swarm.pick([0, 0.02, 0.1])
  const stopMaxMs = swarm.pick([0, 100, 500, 1_500])
  const cluster = new SpineCluster(
    {
      ...{ simulation, checks, list, ...(clockOf && { clockOf }) },
      settings: spineSettings(swarm, CALL_TIMEOUT_MS),
      inbox: inboxes(simulation, checks, { stopMaxMs, restChance }),
      diary: diaries(simulation, checks, { restChance }),
      diariesAreTold: swarm.chance(0.5),
      clerkStopMaxMs: stopMaxMs,
      onUp: (running) => {
        load.begin(running)
        watches.begin(running)
      },
    },
    ['a', 'b', 'c'],
  )
  return { simulation, checks, cluster, list, load, watches }
}

async function recover(parts: WatchingParts): Promise<void> {
  const { simulation, cluster, load, watches } = parts
  load.hurry()
  const within = '90s'
  await simulation.runUntil(() => cluster.isWhole, { within, what: 'the cluster is whole again' })
  await everyEntityAnswers(parts)
  load.end()
  // Calls under way end, and idle entities are stopped: what is read then comes from the journal.
  await simulation.run({ for: '3s' })
  await whenSettled(parts)
  await conclude(parts)
  await viewsConverge(simulation, parts.checks)
  await watches.conclude()
}
