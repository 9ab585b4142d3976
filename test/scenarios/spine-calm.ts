/**
 * The spine without faults, at the settings of the product: load, joins, nodes that leave in good order and come again, and
 * shards that move. Nothing may be lost, and every call succeeds within its time. The network is no better than networks are.
 */
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { SpineCluster } from './spine/spine-cluster.ts'
import { conclude, everyEntityAnswers, type SpineParts } from './spine/spine-end.ts'
import { drawCalmHosting } from './sharding/sharding-kinds.ts'
import { diaries, type Hosting, inboxes, listEntity, notesIn } from './spine/spine-entities.ts'
import { SpineLoad } from './spine/spine-load.ts'
import { watched } from './spine/spine-probes.ts'

const CHANGES_MS = 45_000
/** So long after a rush, at most, a node is told to stop. */
const RUSH_MS = 30
/** How slow the store is: no store answers at once. */
const stores = [{}, { latencyMeanMs: 8 }, { latencyMeanMs: 25, stallChance: 0.01, stallMaxMs: 400 }]
const latencies = [
  {},
  { minMs: 0.5, meanMs: 5, tailChance: 0.05, tailMs: 200 },
  { minMs: 1, meanMs: 20, tailChance: 0.02, tailMs: 800 },
]

export function spineCalm(simulation: Simulation): Promise<void> {
  return playCalm(simulation, () => ({}))
}

/** The same with shards that remember, hold leases and limit entities, by the seed: what is done in good order loses nothing. */
export function shardingCalm(simulation: Simulation): Promise<void> {
  return playCalm(simulation, drawCalmHosting)
}

async function playCalm(
  simulation: Simulation,
  hostingBy: (random: SeededRandom) => Hosting,
): Promise<void> {
  const checks = new ClusterChecks(simulation, { idsIn: notesIn, store: simulation.store })
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    contradicts: (what: string) => simulation.check('nobody heeds an old word', false, what),
    overran: () => simulation.check('nobody runs out of time in calm', false),
  }
  await watched(watcher, async () => {
    const parts = build(simulation, checks, hostingBy)
    const { cluster, load } = parts
    const isWhole = { within: '60s', what: 'the cluster is whole' } as const
    await simulation.runUntil(() => cluster.isWhole, isWhole)
    const changes = new Changes(simulation, cluster, load)
    await simulation.run({ for: CHANGES_MS })
    changes.end()
    // One that has just been told to leave still looks as if it stayed.
    const isSettled = (): boolean => cluster.isWhole && cluster.staying.length === cluster.up.length
    await simulation.runUntil(isSettled, isWhole)
    await everyEntityAnswers(parts)
    load.end()
    await simulation.run({ for: '15s' })
    await conclude(parts)
    // Whoever hands over has finished its writes: else what it decided would be forgotten.
    const refused = Object.keys(simulation.places).filter((place) => place.includes('refuses'))
    simulation.check('in calm no write is refused', refused.length === 0, refused.join('; '))
    const excuses = Object.keys(simulation.excuses)
    simulation.check('in calm nothing is excused', excuses.length === 0, excuses.join('; '))
    const { sent, delivered, lost } = checks.losses.summary
    simulation.check(
      'in calm everything is delivered',
      sent === delivered,
      `${sent} were sent, ${delivered} delivered, ${lost} given up`,
    )
  })
}

function build(
  simulation: Simulation,
  checks: ClusterChecks,
  hostingBy: (random: SeededRandom) => Hosting,
): SpineParts {
  const kinds = simulation.random.fork('kinds')
  const list = listEntity(simulation, checks, hostingBy(kinds))
  const load = new SpineLoad({
    ...{ simulation, checks, list },
    ...{ entities: 10, diaries: 6, pauseMs: 200, longMaxMs: 3_000, isSlowShared: false },
    callTimeoutMs: 5_000,
    onFailure: (call, error) =>
      simulation.check('in calm every call succeeds', false, `${call}: ${String(error)}`),
  })
  const random = simulation.random.fork('calm')
  simulation.network.latency(random.pick(latencies))
  simulation.store.setFaults(random.pick(stores))
  const restChance = random.pick([0, 0.1])
  const stopMaxMs = random.pick([0, 100, 500])
  const cluster = new SpineCluster(
    {
      ...{ simulation, checks, list },
      // With fewer, some calls are enough to make an entity wait for its store.
      settings: { entity: { unstoredCommandsMax: random.pick([1_024, 8]) } },
      inbox: inboxes(simulation, checks, { stopMaxMs, restChance }),
      diary: diaries(simulation, checks, { restChance }),
      inboxHosting: hostingBy(kinds),
      diaryHosting: hostingBy(kinds),
      diariesAreTold: random.chance(0.5),
      clerkStopMaxMs: stopMaxMs,
      onUp: (running) => load.begin(running),
      onLeave: (running) => load.endAt(running),
    },
    ['a', 'b', 'c'],
  )
  return { simulation, checks, cluster, list, load }
}

/** Nodes come and go, as an operator would have it: two always stay. */
class Changes {
  readonly #simulation: Simulation
  readonly #cluster: SpineCluster
  readonly #load: SpineLoad
  readonly #random: SeededRandom
  readonly #newNames = ['d', 'e']
  #isOver = false

  constructor(simulation: Simulation, cluster: SpineCluster, load: SpineLoad) {
    this.#load = load
    this.#simulation = simulation
    this.#cluster = cluster
    this.#random = simulation.random.fork('changes')
    this.#goOn()
  }

  end(): void {
    this.#isOver = true
  }

  #goOn(): void {
    this.#simulation.after(500 + this.#random.below(9_000), () => {
      if (this.#isOver) return
      if (this.#random.chance(0.3)) this.#join()
      else this.#leave()
      this.#goOn()
    })
  }

  #join(): void {
    const name = this.#newNames.shift()
    if (name !== undefined) this.#cluster.add(name)
  }

  #leave(): void {
    const { staying } = this.#cluster
    if (staying.length <= 2) return
    const { name } = this.#random.pick(staying).life
    // Most of what it hosts was asked something a moment ago, and waits for the store.
    if (this.#random.chance(0.7)) this.#load.rush(staying)
    this.#simulation.after(this.#random.below(RUSH_MS), () => this.#cluster.leave(name))
  }
}
