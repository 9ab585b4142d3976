/**
 * Durable counters that are remembered, on nodes that come, go, crash, sleep and are cut off from each other, on a store that
 * fails, with and without a lease for each shard. When the faults have ended, every counter that ever answered runs again
 * without a message, with what it had; those of a second type, which rest when they are idle, are forgotten and stay away.
 */
import { defineEntity } from '../../src/entity/index.ts'
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { trouble } from './projections.ts'
import { ProjectingNodes } from './projections/projecting-nodes.ts'
import { spineSettings } from './spine/spine-settings.ts'

const CHAOS_MS = 10_000
const within = '60s'
const ids = Array.from({ length: 8 }, (_, index) => `c${index}`)

export const rememberingPlaces = [
  'a counter runs again without a message',
  'shards have leases',
  'shards have no leases',
]

function counters(name: string, hasLease: boolean, options: { passivateAfter?: '1s' } = {}) {
  return defineEntity(name, {
    state: () => ({ count: 0 }),
    events: { Added: (state, by: number) => ({ count: state.count + by }) },
    commands: {
      add: (self, by: number) => self.persist('Added', by).count,
      count: (self) => self.state.count,
    },
    rememberEntities: true,
    numberOfShards: 6,
    ...options,
    ...(hasLease && { lease: { settings: { ttlMs: 3_000, operationTimeoutMs: 1_000 } } }),
  })
}

export async function remembering(simulation: Simulation): Promise<void> {
  const checks = new ClusterChecks(simulation)
  const swarm = simulation.random.fork('swarm')
  const hasLease = swarm.chance(0.5)
  simulation.reached(hasLease ? 'shards have leases' : 'shards have no leases')
  const Counter = counters('Counter', hasLease)
  const Napper = counters('Napper', hasLease, { passivateAfter: '1s' })
  const settings = settingsBy(swarm)
  const nodes = new ProjectingNodes({
    ...{ simulation, checks },
    optionsOf: () => ({ name: 'remembering', entities: [Counter, Napper], settings }),
  })
  const isWhole = { within: '90s', what: 'the cluster is whole' } as const
  await simulation.runUntil(() => nodes.isWhole, isWhole)
  const acknowledged = new Map<string, number>()
  let isOver = false
  load()
  trouble(simulation, nodes, swarm, () => isOver)
  await simulation.run({ for: CHAOS_MS })
  isOver = true
  simulation.network.heal()
  simulation.store.setFaults({})
  await simulation.runUntil(() => nodes.isWhole, isWhole)
  await allAreBack()
  await restingOnesStayAway()

  function load(): void {
    const random = simulation.random.fork('load')
    const goOn = (): void => {
      if (isOver) return
      const { up } = nodes
      const id = random.pick(ids)
      if (up.length > 0 && random.chance(0.3)) {
        const napper = random.pick(up).entity(Napper, id)
        napper.add(1).catch(() => undefined)
      } else if (up.length > 0) {
        const added = random.pick(up).entity(Counter, id).add(1)
        added.then(
          (count) => void acknowledged.set(id, Math.max(count, acknowledged.get(id) ?? 0)),
          () => undefined,
        )
      }
      simulation.after(20 + random.below(150), goOn)
    }
    goOn()
  }

  function running(type: 'Counter' | 'Napper'): string[] {
    const shards = nodes.up.flatMap(({ sharding }) => sharding.regionState(type).shards)
    return shards.flatMap(({ entityIds }) => entityIds).sort()
  }

  function areAllRunning(): boolean {
    const now = running('Counter')
    return [...acknowledged.keys()].every((id) => now.includes(id))
  }

  /** Without a message: nobody has sent any since the faults ended. */
  async function allAreBack(): Promise<void> {
    if (!areAllRunning()) simulation.reached('a counter runs again without a message')
    const what = 'R1: every remembered counter runs again without a message'
    await simulation.runUntil(areAllRunning, { within, what })
    for (const [id, count] of acknowledged) {
      const [node] = nodes.up
      const now = await simulation.settle(node?.entity(Counter, id).count() ?? Promise.resolve(0))
      const words = `${id}: ${now} < ${count}`
      simulation.check('D1: what was acknowledged is there', now >= count, words)
    }
  }

  async function restingOnesStayAway(): Promise<void> {
    const areGone = (): boolean => running('Napper').length === 0
    await simulation.runUntil(areGone, { within, what: 'those that are idle are stopped' })
    // That is stored behind their end.
    await simulation.run({ for: '2s' })
    nodes.crash('b', 'process')
    await simulation.run({ for: '5s' })
    await simulation.runUntil(() => nodes.isWhole, isWhole)
    const what = 'R1: after a crash, all remembered counters run again'
    await simulation.runUntil(areAllRunning, { within, what })
    await simulation.run({ for: '5s' })
    const now = running('Napper')
    simulation.check('R1: a passivated one stays away', now.length === 0, now.join(', '))
  }
}

function settingsBy(swarm: SeededRandom) {
  const spine = spineSettings(swarm)
  return {
    ...spine,
    sharding: {
      ...spine.sharding,
      ...{ entityRestartBackoffMs: 300, shardFailureBackoffMs: 300, leaseRetryIntervalMs: 200 },
      ...{ rememberLoadTimeoutMs: 1_000, rememberUpdateTimeoutMs: 1_000 },
      entityRecoveryEntitiesMax: swarm.pick([1, 2, Infinity]),
    },
  }
}
