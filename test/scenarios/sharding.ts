/**
 * Sharding with all that it can do besides: three to seven nodes with the entities of the spine and guests, whose shards remember
 * them, hold leases and let them rest by a limit, as the seed has it. First chaos, in which only safety is checked; then all
 * faults end: every shard is served, whoever is remembered runs again without a message, and whoever rests does not. In the
 * end all nodes die at once, or leave, and it comes true once more.
 */
import { ClusterChecks, GoalNotReached, type Simulation } from '../../src/simulation/index.ts'
import { ShardingGuests } from './sharding/sharding-guests.ts'
import { drawHosting, drawStrategy, shardingSettings } from './sharding/sharding-kinds.ts'
import { SpineCluster } from './spine/spine-cluster.ts'
import { conclude, everyEntityAnswers, type SpineParts } from './spine/spine-end.ts'
import {
  diaries,
  diaryKey,
  inboxes,
  inboxKey,
  listEntity,
  notesIn,
} from './spine/spine-entities.ts'
import { SpineFaults } from './spine/spine-faults.ts'
import { SpineLoad } from './spine/spine-load.ts'
import { watched } from './spine/spine-probes.ts'
import { viewsConverge } from './views-converge.ts'

const CHAOS_MS = 12_000
/** A lease may keep a shard waiting for its time to live, and a store for as long as it may be silent. */
const LINGERS_MS = 18_000
const CALL_TIMEOUT_MS = 2_000

export const shardingPlaces = [
  'all nodes die at once',
  'all nodes leave at once',
  'a message is given up: shard-failed',
]

interface ShardingParts extends SpineParts {
  readonly guests: ShardingGuests
}

export async function sharding(simulation: Simulation): Promise<void> {
  let faults: SpineFaults | undefined
  const checks = new ClusterChecks(simulation, {
    idsIn: notesIn,
    store: simulation.store,
    lingersMs: LINGERS_MS,
    excuseForTwo: () => faults?.excuseForTwo,
  })
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    contradicts: (what: string) => simulation.check('nobody heeds an old word', false, what),
    overran: () => checks.losses.overran(simulation.here),
    moves: () => faults?.onMove(),
    returns: (from: string) => faults?.onReturn(simulation.here, from),
  }
  await watched(watcher, async () => {
    const parts = build(simulation, checks)
    const { cluster } = parts
    await simulation.runUntil(() => cluster.isWhole, { within: '20s', what: 'the cluster forms' })
    faults = new SpineFaults({ ...parts, newNames: ['f', 'g'] })
    await simulation.run({ for: CHAOS_MS })
    faults.end()
    await recover(parts)
    await viewsConverge(simulation, checks)
    await startAnew(parts)
  })
}

function build(simulation: Simulation, checks: ClusterChecks): ShardingParts {
  const kinds = simulation.random.fork('kinds')
  const [listHosting, inboxHosting, diaryHosting] = [kinds, kinds, kinds].map(drawHosting)
  if (listHosting?.rememberEntities) checks.remembered.watch('List')
  if (inboxHosting?.rememberEntities) checks.remembered.watch(inboxKey.name)
  if (diaryHosting?.rememberEntities) checks.remembered.watch(diaryKey.name)
  const inboxStrategy = drawStrategy(kinds)
  const list = listEntity(simulation, checks, listHosting)
  const guests = new ShardingGuests(simulation, checks)
  const load = new SpineLoad({
    ...{ simulation, checks, list },
    ...{ entities: 4, diaries: 3, pauseMs: 220, longMaxMs: 5_000, isSlowShared: true },
    callTimeoutMs: CALL_TIMEOUT_MS,
  })
  const swarm = simulation.random.fork('settings')
  const restChance = swarm.pick([0, 0.02, 0.1])
  const stopMaxMs = swarm.pick([0, 100, 500])
  const cluster = new SpineCluster(
    {
      ...{ simulation, checks, list, others: guests.entities },
      settings: shardingSettings(swarm, CALL_TIMEOUT_MS),
      inbox: inboxes(simulation, checks, { stopMaxMs, restChance }),
      diary: diaries(simulation, checks, { restChance }),
      ...(inboxHosting && { inboxHosting }),
      ...(diaryHosting && { diaryHosting }),
      ...(inboxStrategy && { inboxStrategy }),
      diariesAreTold: swarm.chance(0.5),
      clerkStopMaxMs: stopMaxMs,
      beforeJoin: (running) => guests.host(running),
      onUp: (running) => {
        load.begin(running)
        guests.begin(running)
      },
    },
    ['a', 'b', 'c', 'd', 'e'].slice(0, swarm.pick([3, 3, 4, 5])),
  )
  return { simulation, checks, cluster, list, load, guests }
}

async function recover(parts: ShardingParts): Promise<void> {
  const { simulation, checks, cluster, load, guests } = parts
  load.hurry()
  guests.end()
  await isWholeAgain(parts)
  await everyEntityAnswers(parts)
  load.end()
  // Calls under way end.
  await simulation.run({ for: '3s' })
  await settled(parts, () => checks.losses.isSettled)
  await conclude(parts)
  await rememberedOnesRun(parts, 'after the faults')
  await guests.conclude(cluster.staying, 'after the faults')
}

async function isWholeAgain({ simulation, cluster }: ShardingParts): Promise<void> {
  const isStaying = (): boolean => cluster.staying.length === cluster.up.length
  const what = 'the cluster is whole again'
  await simulation.runUntil(() => cluster.isWhole && isStaying(), { within: '120s', what })
}

/** Nobody sends anything any more. */
async function startAnew(parts: ShardingParts): Promise<void> {
  const { simulation, cluster, guests } = parts
  const random = simulation.random.fork('end')
  if (random.chance(0.3)) return
  if (random.chance(0.5)) {
    simulation.reached('all nodes die at once')
    cluster.crashAll()
    if (random.chance(0.5)) guests.move()
  } else {
    simulation.reached('all nodes leave at once')
    for (const name of cluster.names) cluster.leave(name)
  }
  await simulation.run({ for: '500ms' })
  await isWholeAgain(parts)
  await rememberedOnesRun(parts, 'after all were started anew')
  await guests.conclude(cluster.staying, 'after all were started anew')
}

async function rememberedOnesRun(parts: ShardingParts, when: string): Promise<void> {
  const { simulation, cluster, guests } = parts
  // Twice, since it must stay so; between that, shards may move once more.
  for (const again of ['', ', and later'] as const) {
    await settled(parts, () => guests.problems(cluster.up).next().done === true)
    const problems = [...guests.problems(cluster.up)]
    simulation.check(
      'R1: whoever is remembered runs again without a message, and nobody else',
      problems.length === 0,
      `${when}${again}: ${problems.slice(0, 10).join('; ')}`,
    )
    await simulation.run({ for: '3s' })
  }
}

/** What is missing then is told one by one. */
async function settled({ simulation }: ShardingParts, isSo: () => boolean): Promise<void> {
  try {
    await simulation.runUntil(isSo, { within: '60s' })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
  }
}
