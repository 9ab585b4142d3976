/**
 * What is stored, under all that befalls a store: it is slow, stalls, fails, runs full and crashes, while nodes crash, sleep and
 * are cut off. Rolls are made of events, with snapshots and without their old events; sheets are durable states; some are
 * emptied. In the end every entity answers, nothing that was acknowledged is lost, and every state is the replay of the
 * complete history of its events, of which the store itself may have deleted most.
 */
import {
  ClusterChecks,
  GoalNotReached,
  type SeededRandom,
  type Simulation,
} from '../../src/simulation/index.ts'
import { type Running, SpineCluster } from './spine/spine-cluster.ts'
import { diaries, inboxes, listEntity, notesIn } from './spine/spine-entities.ts'
import { type Fault, SpineFaults } from './spine/spine-faults.ts'
import { watched } from './spine/spine-probes.ts'
import { spineSettings } from './spine/spine-settings.ts'
import { rollEntity, sheetEntity } from './stores/stores-entities.ts'
import { RollHistory } from './stores/stores-history.ts'
import { handleOf, rolls, sheets, StoresLoad } from './stores/stores-load.ts'

const CHAOS_MS = 9_000
const LINGERS_MS = 12_000
const CALL_TIMEOUT_MS = 2_000
const AGAIN_MS = 300

/** After these both sides know what to do: there is never an excuse for two instances. */
const nodeFaults: readonly Fault[] = [
  (faults) => faults.crash('process'),
  (faults) => faults.crash('process'),
  (faults) => faults.crash('host'),
  (faults) => faults.pause(50, 1_000),
  (faults) => faults.pause(1_000, 8_000),
  (faults) => faults.partition(),
  (faults) => faults.leave(),
  (faults) => faults.reset(),
]

export const storesPlaces: readonly string[] = [
  'the store deletes the events of a stream',
  'the store deletes the first events of a stream',
  'the store is given a snapshot: SnapshotSaved',
  'the store hands out a snapshot',
  'the store is given a state: StateWritten',
  'the store refuses a write: Fenced',
]

export async function stores(simulation: Simulation): Promise<void> {
  const { store } = simulation
  const checks = new ClusterChecks(simulation, { idsIn: notesIn, store, lingersMs: LINGERS_MS })
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    contradicts: (what: string) => simulation.check('nobody heeds an old word', false, what),
    overran: () => checks.losses.overran(simulation.here),
  }
  await watched(watcher, async () => {
    const random = simulation.random.fork('settings')
    const roll = rollEntity(simulation, checks, random)
    const sheet = sheetEntity(simulation, checks)
    const history = new RollHistory(simulation)
    const entities = { roll, sheet, history, callTimeoutMs: CALL_TIMEOUT_MS }
    const load = new StoresLoad({ simulation, checks, ...entities })
    const list = listEntity(simulation, checks)
    const cluster = new SpineCluster(
      {
        ...{ simulation, checks, list, others: [roll, sheet] },
        settings: spineSettings(random, CALL_TIMEOUT_MS),
        inbox: inboxes(simulation, checks, { stopMaxMs: 0, restChance: 0 }),
        diary: diaries(simulation, checks, { restChance: 0 }),
        diariesAreTold: false,
        clerkStopMaxMs: 0,
        onUp: (running) => load.begin(running),
      },
      ['a', 'b', 'c'],
    )
    await simulation.runUntil(() => cluster.isWhole, { within: '20s', what: 'the cluster forms' })
    const faults = new SpineFaults({ simulation, checks, cluster }, nodeFaults)
    const trouble = new StoreTrouble(simulation, random)
    await simulation.run({ for: CHAOS_MS })
    faults.end()
    trouble.end()
    await conclude(load, cluster)
  })
}

/** Which of them there are is drawn by seed, then when. */
class StoreTrouble {
  readonly #simulation: Simulation
  readonly #random: SeededRandom
  #isOver = false

  constructor(simulation: Simulation, random: SeededRandom) {
    this.#simulation = simulation
    this.#random = random
    if (random.chance(0.7)) this.#slow()
    if (random.chance(0.5)) this.#again(() => this.#crash())
    if (random.chance(0.5)) this.#again(() => this.#fill())
  }

  end(): void {
    this.#isOver = true
    this.#simulation.store.setFaults({})
    this.#simulation.store.setDiskFull(false)
  }

  #slow(): void {
    const random = this.#random
    this.#simulation.store.setFaults({
      latencyMeanMs: random.pick([1, 5, 20]),
      stallChance: random.pick([0, 0.02, 0.05]),
      stallMaxMs: random.pick([1_000, 8_000]),
      failsBefore: random.pick([0, 0.02, 0.1]),
      failsUnknown: random.pick([0, 0.02, 0.05]),
    })
  }

  #crash(): void {
    this.#simulation.store.crash(this.#random.pick([0, 20, 300, 1_500]))
  }

  #fill(): void {
    const { store } = this.#simulation
    store.setDiskFull(true)
    this.#simulation.after(50 + this.#random.below(1_500), () => store.setDiskFull(false))
  }

  #again(trouble: () => void): void {
    this.#simulation.after(300 + this.#random.below(3_000), () => {
      if (this.#isOver) return
      trouble()
      this.#again(trouble)
    })
  }
}

async function conclude(load: StoresLoad, cluster: SpineCluster): Promise<void> {
  const { simulation, checks, history } = load.parts
  await simulation.runUntil(() => cluster.isWhole, { within: '90s', what: 'the cluster is whole' })
  await everyEntityAnswers(load, cluster)
  load.isOver = true
  // Calls under way end, and idle entities are stopped: what is read then comes from the store.
  await simulation.run({ for: '4s' })
  const [running] = cluster.staying as [Running]
  for (const id of [...rolls, ...sheets]) {
    const ids = await simulation.settle(handleOf(load.parts, running, id).all())
    if (!id.startsWith('e')) checks.ledger.conclude(id, ids)
    if (rolls.includes(id)) history.conclude(id, ids)
  }
  for (const [id, of] of load.acknowledged) history.acknowledged(id, of)
  checks.calls.conclude()
  simulation.record(`${checks.ledger.acknowledgedCount} acknowledged`)
}

async function everyEntityAnswers(load: StoresLoad, cluster: SpineCluster): Promise<void> {
  const { simulation } = load.parts
  const open = new Map<string, Running & { why: string }>()
  for (const running of cluster.up) {
    for (const id of [...rolls, ...sheets]) {
      const name = `${id} from ${running.life.label}`
      open.set(name, { ...running, why: 'no answer yet' })
      const ask = (): void =>
        void handleOf(load.parts, running, id)
          .all()
          .then(
            () => open.delete(name),
            (error: unknown) => {
              open.set(name, { ...running, why: String(error) })
              running.life.environment.timers.after(AGAIN_MS, ask)
            },
          )
      ask()
    }
  }
  // A node that was about to leave when the faults ended has a next life, which is no worse than its first.
  const isDone = (): boolean => [...open.values()].every(({ life }) => !life.isAlive)
  try {
    await simulation.runUntil(isDone, { within: '60s' })
  } catch (error) {
    if (!(error instanceof GoalNotReached)) throw error
    const silent = [...open].map(([name, { why }]) => `${name}: ${why}`).join('; ')
    simulation.check('every entity answers after the faults have ended', false, silent)
  }
}
