/**
 * Writes upon writes: two nodes ask a few durable entities much at once, so that several appends of each are in flight while
 * more is gathered for the next. For moments the store fails often, before it has stored or after, and nodes halt for some
 * milliseconds, so that what the store answers and what is asked come in the same instant, in an order by seed. Then
 * everything is well again: what was acknowledged is there, once, and every entity answers.
 */
import { ClusterChecks, type SeededRandom, type Simulation } from '../../src/simulation/index.ts'
import { type Running, SpineCluster } from './spine/spine-cluster.ts'
import { conclude, everyEntityAnswers } from './spine/spine-end.ts'
import {
  diaries,
  diaryKey,
  inboxes,
  listEntity,
  type ListEntity,
  notesIn,
} from './spine/spine-entities.ts'
import { watched } from './spine/spine-probes.ts'
import { spineSettings } from './spine/spine-settings.ts'

const WRITES_MS = 1_500
const LINGERS_MS = 2_000
const CALL_TIMEOUT_MS = 2_000
const PAUSE_MS = 30
const RETRY_MS = 40
const ATTEMPTS_MAX = 10
const BURST_MAX = 40
/** Hot entities, and none that rests or stores nothing. */
const asked = { lists: ['l0', 'l1'], resting: [], inboxes: [], diaries: ['d0'] }

interface Parts {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly list: ListEntity
  readonly isOver: () => boolean
}

export async function spineWrites(simulation: Simulation): Promise<void> {
  const { store } = simulation
  const checks = new ClusterChecks(simulation, { idsIn: notesIn, store, lingersMs: LINGERS_MS })
  const watcher = {
    reached: (place: string) => simulation.reached(place),
    contradicts: (what: string) => simulation.check('nobody heeds an old word', false, what),
    overran: () => checks.losses.overran(simulation.here),
  }
  await watched(watcher, async () => {
    const list = listEntity(simulation, checks)
    let isOver = false
    const parts = { simulation, checks, list, isOver: () => isOver }
    const cluster = clusterOf(parts)
    const isWhole = { within: '60s', what: 'the cluster is whole' } as const
    await simulation.runUntil(() => cluster.isWhole, isWhole)
    for (const running of cluster.up) new Client(parts, running).goOn()
    trouble(parts, cluster)
    await simulation.run({ for: WRITES_MS })
    isOver = true
    store.setFaults({})
    await simulation.runUntil(() => cluster.isWhole, isWhole)
    const ending = { simulation, checks, cluster, list, load: asked }
    await everyEntityAnswers(ending)
    // Calls under way end, and idle entities are stopped: what is read then comes from the journal.
    await simulation.run({ for: '3s' })
    await conclude(ending)
  })
}

function clusterOf({ simulation, checks, list }: Parts): SpineCluster {
  const random = simulation.random.fork('settings')
  return new SpineCluster(
    {
      ...{ simulation, checks, list },
      settings: {
        ...spineSettings(random, CALL_TIMEOUT_MS),
        entity: {
          unstoredCommandsMax: random.pick([1_024, 12]),
          appendEventsMax: random.pick([256, 7, 3]),
        },
      },
      inbox: inboxes(simulation, checks, { stopMaxMs: 0, restChance: 0 }),
      diary: diaries(simulation, checks, { restChance: 0 }),
      diariesAreTold: random.chance(0.5),
      clerkStopMaxMs: 0,
      onUp: () => undefined,
    },
    ['a', 'b'],
  )
}

/** By turns the store is only slow, and fails often; between that nodes halt. */
function trouble({ simulation, isOver }: Parts, { names }: SpineCluster): void {
  const { store } = simulation
  const random = simulation.random.fork('trouble')
  const latencyMeanMs = random.pick([0, 0, 3])
  const failing = {
    latencyMeanMs,
    failsBefore: random.pick([0.1, 0.4]),
    failsUnknown: random.pick([0, 0.05, 0.2]),
  }
  const goOn = (fails: boolean): void => {
    if (isOver()) return
    store.setFaults(fails ? failing : { latencyMeanMs })
    simulation.after(10 + random.below(fails ? 60 : 120), () => goOn(!fails))
  }
  goOn(false)
  const halt = (): void => {
    if (isOver()) return
    simulation.pause(random.pick(names), 1 + random.below(15))
    simulation.after(10 + random.below(80), halt)
  }
  halt()
}

/** Asks from one node: many commands to one entity at once, then a short rest. */
class Client {
  readonly #parts: Parts
  readonly #running: Running
  readonly #random: SeededRandom
  #count = 0
  #notes = 0

  constructor(parts: Parts, running: Running) {
    this.#parts = parts
    this.#running = running
    this.#random = parts.simulation.random.fork(`load ${running.life.label}`)
  }

  goOn(): void {
    if (this.#parts.isOver()) return
    const entity = this.#random.pick([...asked.lists, ...asked.diaries])
    for (let left = 1 + this.#random.below(BURST_MAX); left > 0; left--) {
      if (asked.diaries.includes(entity)) this.#note(entity)
      else if (this.#random.chance(0.1)) this.#read(entity)
      else this.#add(entity)
    }
    this.#after(2 * PAUSE_MS * this.#random.float(), () => this.goOn())
  }

  #add(entity: string): void {
    const { checks, list } = this.#parts
    const id = `${this.#running.life.label}.${++this.#count}`
    checks.ledger.invoked(id, entity)
    const attempt = (left: number): void => {
      const call = this.#running.node.entity(list, entity).add(id)
      this.#follow(`${id} to ${entity}`, call)
      call.then(
        () => checks.ledger.acknowledged(id),
        () => {
          if (left > 0) this.#after(RETRY_MS, () => attempt(left - 1))
        },
      )
    }
    attempt(ATTEMPTS_MAX)
  }

  #read(entity: string): void {
    const { checks, list, simulation } = this.#parts
    const invokedMs = simulation.now
    const call = this.#running.node.entity(list, entity).all()
    this.#follow(`a read of ${entity}`, call)
    call.then(
      (ids) => checks.ledger.read(entity, ids, invokedMs),
      () => simulation.record('a read failed'),
    )
  }

  #follow(what: string, call: Promise<unknown>): void {
    const { life } = this.#running
    this.#parts.checks.calls.made({ life, what, timeoutMs: CALL_TIMEOUT_MS }, call)
  }

  #note(entity: string): void {
    const { node, life } = this.#running
    const number = ++this.#notes
    const note = `${life.label} to ${entity}, ${number}`
    this.#parts.checks.losses.sent(note, life.label, `${diaryKey.name}/${entity}`)
    node.sharding.entityRefFor(diaryKey, entity).tell({ note, sender: life.label, number })
  }

  #after(delayMs: number, callback: () => void): void {
    this.#running.life.environment.timers.after(delayMs, callback)
  }
}
