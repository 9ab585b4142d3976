/**
 * Shards that never come to rest: a strategy moves them about by seed, hand-offs have little time, words are repeated soon
 * over links that are slow now and then, and nodes leave while they send. There are no faults, so every note arrives, in
 * order and once, but for what is given to a node that has been told to stop.
 */
import type { SherdNode } from '../../src/node/index.ts'
import type { ShardAllocationStrategy } from '../../src/sharding/index.ts'
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { type Running, SpineCluster } from './spine/spine-cluster.ts'
import { diaries, inboxes, inboxKey, listEntity, notesIn } from './spine/spine-entities.ts'
import { watched } from './spine/spine-probes.ts'
import { spineSettings } from './spine/spine-settings.ts'

const MOVES_MS = 5_000
/** A node that leaves may run out of time where shards hardly move: what it then gives up, it gives up soon. */
const LINGERS_MS = 1_000
const ENTITIES = 3
const NOTE_MS = 12
const latencies = [
  { minMs: 0.5, meanMs: 3, tailChance: 0.03, tailMs: 300 },
  { minMs: 0.5, meanMs: 8, tailChance: 0.15, tailMs: 150 },
  { minMs: 1, meanMs: 20, tailChance: 0.05, tailMs: 700 },
]

export async function spineMoves(simulation: Simulation): Promise<void> {
  const { store } = simulation
  const checks = new ClusterChecks(simulation, { idsIn: notesIn, store, lingersMs: LINGERS_MS })
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    contradicts: (what: string) => simulation.check('nobody heeds an old word', false, what),
    overran: () => checks.losses.overran(simulation.here),
  }
  await watched(watcher, async () => {
    const random = simulation.random.fork('moves')
    let isSending = true
    const cluster = clusterOf(simulation, checks, {
      onUp: (running) => send(simulation, checks, running, () => isSending),
    })
    const isWhole = { within: '60s', what: 'the cluster is whole' } as const
    await simulation.runUntil(() => cluster.isWhole, isWhole)
    change(simulation, cluster, random, () => isSending)
    await simulation.run({ for: MOVES_MS })
    isSending = false
    const isSettled = (): boolean => cluster.isWhole && cluster.staying.length === cluster.up.length
    await simulation.runUntil(isSettled, isWhole)
    await simulation.run({ for: '15s' })
    checks.losses.conclude()
    const { sent, delivered, lost } = checks.losses.summary
    simulation.check(
      'without faults everything is delivered or refused',
      sent === delivered + lost,
      `${sent} were sent, ${delivered} delivered, ${lost} given up`,
    )
  })
}

function clusterOf(
  simulation: Simulation,
  checks: ClusterChecks,
  { onUp }: { readonly onUp: (running: Running) => void },
): SpineCluster {
  const random = simulation.random.fork('settings')
  simulation.network.latency(random.pick(latencies))
  const settings = spineSettings(random, 2_000)
  const handOffTimeoutMs = random.pick([200, 500, 5_000])
  return new SpineCluster(
    {
      ...{ simulation, checks, list: listEntity(simulation, checks) },
      settings: {
        ...settings,
        sharding: {
          ...{ numberOfShards: ENTITIES, retryIntervalMs: random.pick([30, 100]) },
          ...{ handOffTimeoutMs, stopGraceMs: handOffTimeoutMs / 4 },
          ...{ stopTimeoutMs: (handOffTimeoutMs * 3) / 4, rebalanceIntervalMs: 120 },
        },
      },
      inbox: inboxes(simulation, checks, { stopMaxMs: random.pick([0, 20]), restChance: 0.02 }),
      diary: diaries(simulation, checks, { restChance: 0 }),
      ...{ diariesAreTold: false, clerkStopMaxMs: 0 },
      inboxStrategy: restless(random.fork('strategy')),
      onUp,
    },
    ['a', 'b', 'c'],
  )
}

/** Moves shards for no reason. */
function restless(random: SeededRandom): ShardAllocationStrategy {
  return {
    allocateShard: ({ allocations }) => random.pick([...allocations.keys()]),
    rebalance: ({ allocations, inProgress }) =>
      [...allocations.values()]
        .flat()
        .filter((shard) => !inProgress.has(shard) && random.chance(0.4)),
  }
}

/** Numbered notes to every inbox, until the node is gone. */
function send(
  simulation: Simulation,
  checks: ClusterChecks,
  { node, life }: Running,
  goesOn: () => boolean,
): void {
  const random = simulation.random.fork(`notes of ${life.label}`)
  const numbers = new Map<string, number>()
  const next = (): void => {
    if (!goesOn()) return
    const entity = `i${random.below(ENTITIES)}`
    const number = (numbers.get(entity) ?? 0) + 1
    numbers.set(entity, number)
    const note = `${life.label} to ${entity}, ${number}`
    checks.losses.sent(note, life.label, `Inbox/${entity}`)
    tell(node, entity, { note, sender: life.label, number })
    life.environment.timers.after(2 * NOTE_MS * random.float(), next)
  }
  next()
}

function tell(
  { sharding }: SherdNode,
  entity: string,
  note: { readonly note: string; readonly sender: string; readonly number: number },
): void {
  sharding.entityRefFor(inboxKey, entity).tell(note)
}

/** Nodes leave and come again; two always stay. */
function change(
  simulation: Simulation,
  cluster: SpineCluster,
  random: SeededRandom,
  goesOn: () => boolean,
): void {
  simulation.after(200 + random.below(1_500), () => {
    if (!goesOn()) return
    const { staying } = cluster
    if (staying.length > 2) cluster.leave(random.pick(staying).life.name)
    change(simulation, cluster, random, goesOn)
  })
}
