/**
 * Nodes die in the midst of hand-offs: the home, a region that is still to acknowledge, the coordinator, or two of them. A
 * hand-off has its minute, as in the product, and whoever dies is removed within seconds: nothing may wait for the dead any
 * longer than that. Moves are made by a strategy, or a node leaves; there are no other faults.
 */
import type { ShardAllocationStrategy } from '../../src/sharding/index.ts'
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { SpineCluster } from './spine/spine-cluster.ts'
import { conclude, everyEntityAnswers, type SpineParts, whenSettled } from './spine/spine-end.ts'
import { diaries, inboxes, listEntity, notesIn } from './spine/spine-entities.ts'
import { SpineLoad } from './spine/spine-load.ts'
import { watched } from './spine/spine-probes.ts'
import { places } from './spine/spine-places.ts'
import { spineSettings } from './spine/spine-settings.ts'

const ROUNDS = 3
const HAND_OFF_MS = 60_000
/** Of a cluster that is whole: some moves of entities that are slow to stop, and far less than a hand-off may take. */
const ANSWER_WITHIN = '20s'
const CALL_TIMEOUT_MS = 2_000
const settled = { within: '60s' } as const

const coordinatorDied = 'a coordinator dies in the midst of a hand-off'

export const handOffPlaces = [places.homeDied, places.unackedDied, coordinatorDied, places.returned]

type Part = 'home' | 'another' | 'coordinator'

/** Two of five may die, one of them while it leaves: the others are still more. */
const victims: readonly (readonly Part[])[] = [
  ['home'],
  ['another'],
  ['coordinator'],
  ['home', 'another'],
  ['another', 'coordinator'],
]

/** So soon after its beginning. A home stops entities then, or has done so; others have little to do, and have done it soon. */
const withinMs: Readonly<Record<Part, readonly number[]>> = {
  home: [30, 300, 1_500],
  another: [10, 30],
  coordinator: [30, 300, 1_500],
}

/** By then all are dead who are to die. */
const STRUCK_MS = 1_500

const inWords: Readonly<Record<Part, string>> = {
  home: 'the home of the shard that moves',
  another: 'a region',
  coordinator: 'who coordinates',
}

/** Slow enough that acknowledgements are under way for a while. */
const latencies = [
  { minMs: 0.5, meanMs: 5, tailChance: 0.05, tailMs: 100 },
  { minMs: 1, meanMs: 20, tailChance: 0.05, tailMs: 300 },
]

/** Names of the nodes that a hand-off concerns first of all. */
interface Begun {
  readonly home: string
  readonly coordinator: string
}

export async function handOffs(simulation: Simulation): Promise<void> {
  const { store } = simulation
  const checks = new ClusterChecks(simulation, { idsIn: notesIn, store })
  const random = simulation.random.fork('hand-offs')
  const moves = new Moves(random.fork('strategy'))
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    contradicts: (what: string) => simulation.check('nobody heeds an old word', false, what),
    overran: () => checks.losses.overran(simulation.here),
    handsOff: (home: string) => moves.began({ home, coordinator: nameIn(simulation.here) }),
  }
  await watched(watcher, async () => {
    const parts = build(simulation, checks, moves)
    await isWhole(parts)
    await everyEntityAnswers(parts)
    for (let round = 1; round <= ROUNDS; round++) {
      await strike(parts, moves, random)
      await isWhole(parts)
      await everyEntityAnswers(parts, { within: ANSWER_WITHIN, when: ` after round ${round}` })
    }
    parts.load.end()
    await simulation.run({ for: '3s' })
    await whenSettled(parts)
    await conclude(parts)
  })
}

function build(simulation: Simulation, checks: ClusterChecks, moves: Moves): SpineParts {
  const list = listEntity(simulation, checks)
  const load = new SpineLoad({
    ...{ simulation, checks, list },
    ...{ entities: 4, diaries: 2, pauseMs: 250, longMaxMs: 0, isSlowShared: true },
    callTimeoutMs: CALL_TIMEOUT_MS,
  })
  load.hurry()
  const swarm = simulation.random.fork('settings')
  simulation.network.latency(swarm.pick(latencies))
  const settings = spineSettings(swarm, CALL_TIMEOUT_MS)
  const stopMaxMs = swarm.pick([100, 1_000])
  const cluster = new SpineCluster(
    {
      ...{ simulation, checks, list },
      settings: {
        ...settings,
        sharding: {
          ...settings.sharding,
          ...{ handOffTimeoutMs: HAND_OFF_MS, stopGraceMs: 1_000, stopTimeoutMs: 3_000 },
        },
      },
      inbox: inboxes(simulation, checks, { stopMaxMs, restChance: 0 }),
      diary: diaries(simulation, checks, { restChance: 0 }),
      ...{ diariesAreTold: false, clerkStopMaxMs: 0, inboxStrategy: moves.strategy },
      onUp: (running) => load.begin(running),
    },
    ['a', 'b', 'c', 'd', 'e'],
  )
  return { simulation, checks, cluster, list, load }
}

async function isWhole({ simulation, cluster }: SpineParts): Promise<void> {
  const isSo = (): boolean => cluster.isWhole && cluster.staying.length === cluster.up.length
  await simulation.runUntil(isSo, { ...settled, what: 'the cluster is whole' })
}

/** A shard begins to move, and then somebody dies whom its hand-off needs. */
async function strike(parts: SpineParts, moves: Moves, random: SeededRandom): Promise<void> {
  const { simulation, checks, cluster } = parts
  const parties = random.pick(victims)
  let isOver = false
  moves.next((begun) => {
    const others = cluster.names.filter((name) => !Object.values(begun).includes(name))
    const named = { ...begun, another: random.pick(others) }
    for (const party of parties) {
      simulation.plan('', (own) => {
        const [name, afterMs] = [named[party], own.below(own.pick(withinMs[party]))]
        simulation.fault(`${name}, ${inWords[party]}, dies after ${afterMs} ms`)
        simulation.after(afterMs, () => {
          if (!simulation.isAlive(name)) return
          if (party === 'coordinator') simulation.reached(coordinatorDied)
          checks.crashed(name)
          simulation.crash(name)
        })
      })
    }
    simulation.after(STRUCK_MS, () => (isOver = true))
  })
  if (random.chance(0.4)) {
    simulation.plan('', (own) => {
      const { name } = own.pick(cluster.staying).life
      simulation.fault(`${name} leaves`)
      cluster.leave(name)
    })
  }
  // Also then: one that leaves may host nothing.
  moves.want()
  await simulation.runUntil(() => isOver, { ...settled, what: 'a shard moves' })
  await simulation.run({ for: '1s' })
}

/** Shards of inboxes move when the scenario wants it, and the scenario hears of the next hand-off of any shard. */
class Moves {
  readonly strategy: ShardAllocationStrategy
  readonly #random: SeededRandom
  #isWanted = false
  #heard: ((begun: Begun) => void) | undefined

  constructor(random: SeededRandom) {
    this.#random = random
    this.strategy = {
      allocateShard: ({ allocations }) => random.pick([...allocations.keys()]),
      rebalance: ({ allocations, inProgress }) => {
        const shards = [...allocations.values()].flat().filter((shard) => !inProgress.has(shard))
        if (!this.#isWanted || shards.length === 0) return []
        this.#isWanted = false
        return [this.#random.pick(shards)]
      },
    }
  }

  want(): void {
    this.#isWanted = true
  }

  next(heard: (begun: Begun) => void): void {
    this.#heard = heard
  }

  began(begun: Begun): void {
    const heard = this.#heard
    this.#heard = undefined
    heard?.(begun)
  }
}

/** The name of the node in the label of a life. */
function nameIn(label: string): string {
  return label.slice(0, label.indexOf('#'))
}
