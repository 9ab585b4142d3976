/**
 * Durable counters that are remembered, on nodes that come, go, crash, sleep and are cut off from each other, on a store that
 * fails, with and without a lease for each shard, and coordinators that keep snapshots. When the faults have ended, every counter
 * that ever answered runs again without a message, with what it had; those of a second type, which rest when they are idle, are
 * forgotten and stay away. In the end all nodes die at once, or leave, and all counters run once more.
 */
import { defineEntity } from '../../src/entity/index.ts'
import type { SherdNode } from '../../src/node/index.ts'
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { planTrouble } from './projections.ts'
import { ProjectingNodes } from './projections/projecting-nodes.ts'
import { spineSettings } from './spine/spine-settings.ts'

const CHAOS_MS = 10_000
const within = '60s'
const ids = Array.from({ length: 8 }, (_, index) => `c${index}`)

export const rememberingPlaces = [
  'all nodes die at once',
  'all nodes leave at once',
  // Of a coordinator: nobody else here has any.
  'the store hands out a snapshot',
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
    ...(hasLease && { lease: { settings: { ttlMs: 3_000, operationTimeoutMs: 500 } } }),
  })
}

const isWhole = { within: '90s', what: 'the cluster is whole' } as const

export async function remembering(simulation: Simulation): Promise<void> {
  const swarm = simulation.random.fork('swarm')
  const scene = new Remembering(simulation, swarm)
  await scene.whole()
  scene.load()
  const faults = planTrouble(simulation, scene.nodes, swarm)
  await simulation.run({ for: CHAOS_MS })
  scene.isOver = true
  faults.end()
  simulation.network.heal()
  simulation.store.setFaults({})
  await scene.whole()
  await scene.allAreBack()
  await scene.restingOnesStayAway()
  await scene.startAnew()
}

class Remembering {
  readonly nodes: ProjectingNodes
  isOver = false
  readonly #simulation: Simulation
  readonly #counter: ReturnType<typeof counters>
  readonly #napper: ReturnType<typeof counters>
  /** The highest answer of each counter. */
  readonly #acknowledged = new Map<string, number>()

  constructor(simulation: Simulation, swarm: SeededRandom) {
    this.#simulation = simulation
    const hasLease = swarm.chance(0.5)
    simulation.reached(hasLease ? 'shards have leases' : 'shards have no leases')
    this.#counter = counters('Counter', hasLease)
    this.#napper = counters('Napper', hasLease, { passivateAfter: '1s' })
    const settings = settingsBy(swarm)
    const entities = [this.#counter, this.#napper]
    this.nodes = new ProjectingNodes({
      ...{ simulation, checks: new ClusterChecks(simulation) },
      optionsOf: () => ({ name: 'remembering', entities, settings }),
    })
  }

  whole(): Promise<void> {
    return this.#simulation.runUntil(() => this.nodes.isWhole, isWhole)
  }

  load(): void {
    const random = this.#simulation.random.fork('load')
    const goOn = (): void => {
      if (this.isOver) return
      const { up } = this.nodes
      if (up.length > 0) this.#call(random.pick(up), random.pick(ids), random.chance(0.3))
      this.#simulation.after(20 + random.below(150), goOn)
    }
    goOn()
  }

  /** What fails is of no interest here: what was answered is. */
  #call(node: SherdNode, id: string, isNapper: boolean): void {
    const added = node.entity(isNapper ? this.#napper : this.#counter, id).add(1)
    added.then(
      (count) => {
        if (!isNapper) this.#acknowledged.set(id, Math.max(count, this.#acknowledged.get(id) ?? 0))
      },
      () => undefined,
    )
  }

  #running(type: 'Counter' | 'Napper'): string[] {
    const shards = this.nodes.up.flatMap(({ sharding }) => sharding.regionState(type).shards)
    return shards.flatMap(({ entityIds }) => entityIds).sort()
  }

  get #areAllRunning(): boolean {
    const now = this.#running('Counter')
    return [...this.#acknowledged.keys()].every((id) => now.includes(id))
  }

  /** Without a message: nobody has sent any since the faults ended. */
  async allAreBack(): Promise<void> {
    const simulation = this.#simulation
    if (!this.#areAllRunning) simulation.reached('a counter runs again without a message')
    const what = 'R1: every remembered counter runs again without a message'
    await simulation.runUntil(() => this.#areAllRunning, { within, what })
    for (const [id, count] of this.#acknowledged) {
      const [node] = this.nodes.up
      const answer = node?.entity(this.#counter, id).count() ?? Promise.resolve(0)
      const now = await simulation.settle(answer)
      const words = `${id}: ${now} < ${count}`
      simulation.check('D1: what was acknowledged is there', now >= count, words)
    }
  }

  async restingOnesStayAway(): Promise<void> {
    const simulation = this.#simulation
    await simulation.runUntil(() => this.#running('Napper').length === 0, {
      ...{ within, what: 'those that are idle are stopped' },
    })
    // That is stored behind their end.
    await simulation.run({ for: '2s' })
    this.nodes.crash('b', 'process')
    await simulation.run({ for: '5s' })
    await this.whole()
    const what = 'R1: after a crash, all remembered counters run again'
    await simulation.runUntil(() => this.#areAllRunning, { within, what })
    await simulation.run({ for: '5s' })
    const now = this.#running('Napper')
    simulation.check('R1: a passivated one stays away', now.length === 0, now.join(', '))
  }

  /** Whoever decides then knows of shards and homes only by what is stored. */
  async startAnew(): Promise<void> {
    const simulation = this.#simulation
    const isDeath = simulation.random.fork('end').chance(0.5)
    simulation.reached(`all nodes ${isDeath ? 'die' : 'leave'} at once`)
    for (const name of this.nodes.names) {
      if (isDeath) this.nodes.crash(name, 'process')
      else this.nodes.leave(name)
    }
    await simulation.run({ for: '500ms' })
    await this.whole()
    const what = 'R1: after all were started anew, all remembered counters run again'
    await simulation.runUntil(() => this.#areAllRunning, { within, what })
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
      // Also so few that coordinators begin with a snapshot and some changes behind it.
      snapshotAfterEvents: swarm.pick([1, 10, 1_000]),
    },
  }
}
