/**
 * The spine without faults, at the settings of the product: load, joins, nodes that leave in good order and come again, and
 * shards that move. Nothing may be lost, and every call succeeds within its time. The network is no better than networks are.
 */
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { SpineCluster } from './spine/spine-cluster.ts'
import { conclude, everyEntityAnswers, type SpineParts } from './spine/spine-end.ts'
import { inboxes, listEntity, notesIn } from './spine/spine-entities.ts'
import { SpineLoad } from './spine/spine-load.ts'
import { watched } from './spine/spine-probes.ts'

const CHANGES_MS = 45_000
const latencies = [
  {},
  { minMs: 0.5, meanMs: 5, tailChance: 0.05, tailMs: 200 },
  { minMs: 1, meanMs: 20, tailChance: 0.02, tailMs: 800 },
]

export async function spineCalm(simulation: Simulation): Promise<void> {
  const checks = new ClusterChecks(simulation, { idsIn: notesIn, store: simulation.store })
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    overran: () => simulation.check('nobody runs out of time in calm', false),
  }
  await watched(watcher, async () => {
    const parts = build(simulation, checks)
    const { cluster, load } = parts
    const isWhole = { within: '60s', what: 'the cluster is whole' } as const
    await simulation.runUntil(() => cluster.isWhole, isWhole)
    const changes = new Changes(simulation, cluster)
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
    const { sent, delivered, lost } = checks.losses.summary
    simulation.check(
      'in calm everything is delivered',
      sent === delivered,
      `${sent} were sent, ${delivered} delivered, ${lost} given up`,
    )
  })
}

function build(simulation: Simulation, checks: ClusterChecks): SpineParts {
  const list = listEntity(simulation, checks)
  const load = new SpineLoad({
    ...{ simulation, checks, list },
    ...{ entities: 10, pauseMs: 200, longMaxMs: 3_000, isSlowShared: false },
    onFailure: (call, error) =>
      simulation.check('in calm every call succeeds', false, `${call}: ${String(error)}`),
  })
  const random = simulation.random.fork('calm')
  simulation.network.latency(random.pick(latencies))
  const cluster = new SpineCluster(
    {
      ...{ simulation, checks, list, settings: {} },
      inbox: inboxes(simulation, checks, {
        stopMaxMs: random.pick([0, 100, 500]),
        restChance: random.pick([0, 0.1]),
      }),
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
  readonly #random: SeededRandom
  readonly #newNames = ['d', 'e']
  #isOver = false

  constructor(simulation: Simulation, cluster: SpineCluster) {
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
    const staying = this.#cluster.staying.map(({ life }) => life.name)
    if (staying.length > 2) this.#cluster.leave(this.#random.pick(staying))
  }
}
