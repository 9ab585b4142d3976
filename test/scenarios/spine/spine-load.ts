/**
 * What clients on the nodes do: they add unique ids to durable lists and repeat a call under the same id until it is
 * acknowledged, they read, and they send numbered notes. Some commands take their time; those that may take very long are
 * for one list alone, one at a time. Everything is told to the checkers.
 */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { Running } from './spine-cluster.ts'
import { clerk } from './spine-clerk.ts'
import { keyOf, type ListEntity } from './spine-entities.ts'

const ATTEMPTS_MAX = 10
const RETRY_MS = 300
const SHORT_MAX_MS = 400
/** What a call may take besides the time its command waits. */
const LEEWAY_MS = 10_000
const SLOW_REST_MS = 1_000

export interface SpineLoadOptions {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly list: ListEntity
  /** How many lists and inboxes there are, beside the slow list. */
  readonly entities: number
  /** How many diaries there are. */
  readonly diaries: number
  /** The mean pause between two things that one node does. */
  readonly pauseMs: number
  /** How long a call may take that says nothing else. */
  readonly callTimeoutMs: number
  /** The longest that a command of the slow list takes. */
  readonly longMaxMs: number
  /** Whether other commands go there as well, and wait. */
  readonly isSlowShared: boolean
  /** Hears of calls that failed. Without it they are made again. */
  readonly onFailure?: (call: string, error: unknown) => void
}

const slowList = 'slow'

/** Lists that rest until a crowd comes. */
const RESTING = 30
const RUSH_TO_RESTING = 6
const RUSH_TO_ONE = 12
const RUSH_OF_NOTES = 4

const STREAM_OF_NOTES = 12
const STREAM_MS = 150

export class SpineLoad {
  readonly lists: readonly string[]
  readonly inboxes: readonly string[]
  readonly diaries: readonly string[]
  /** Lists that only a rush comes to. */
  readonly resting = numbered('r', RESTING)
  readonly options: SpineLoadOptions
  /** The lists that others than slow commands go to. */
  readonly shared: readonly string[]
  #slowFreeMs = 0
  #isOver = false
  readonly #clients = new Map<string, Client>()

  constructor(options: SpineLoadOptions) {
    this.options = options
    const quick = numbered('l', options.entities)
    this.lists = [...quick, slowList]
    this.shared = options.isSlowShared ? this.lists : quick
    this.inboxes = numbered('i', options.entities)
    this.diaries = numbered('d', options.diaries)
  }

  /** For a moment notes come one upon the other from everywhere, so that some are on their way whatever happens. */
  stream(): void {
    for (const client of this.#clients.values()) client.stream()
  }

  /** A crowd comes to these nodes at once: to entities that rest, and to one that cannot store as fast as it is asked. */
  rush(at: readonly Running[]): void {
    const one = this.options.simulation.random.pick(this.shared)
    for (const { life } of at) this.#clients.get(life.label)?.rush(one)
  }

  begin(running: Running): void {
    const { label } = running.life
    const client = new Client(this, running, this.options.simulation.random.fork(`load ${label}`))
    this.#clients.set(label, client)
    client.goOn()
  }

  /** The node is about to stop: whoever serves requests there ends first. */
  endAt(running: Running): void {
    this.#clients.get(running.life.label)?.end()
  }

  /** No command that takes long is begun any more. */
  hurry(): void {
    this.#slowFreeMs = Infinity
  }

  /** Whether a command may take so long now. */
  maySlow(forMs: number): boolean {
    const { now } = this.options.simulation
    if (now < this.#slowFreeMs) return false
    this.#slowFreeMs = now + forMs + SLOW_REST_MS
    return true
  }

  /** Nothing new is begun. */
  end(): void {
    this.#isOver = true
  }

  get isOver(): boolean {
    return this.#isOver
  }
}

class Client {
  readonly #load: SpineLoad
  readonly #running: Running
  readonly #random: SeededRandom
  readonly #sent = new Map<string, number>()
  #count = 0
  #isOver = false

  constructor(load: SpineLoad, running: Running, random: SeededRandom) {
    this.#load = load
    this.#running = running
    this.#random = random
  }

  end(): void {
    this.#isOver = true
  }

  goOn(): void {
    const pauseMs = 2 * this.#load.options.pauseMs * this.#random.float()
    this.#after(pauseMs, () => {
      if (this.#isOver || this.#load.isOver) return
      this.#act()
      this.goOn()
    })
  }

  rush(one: string): void {
    if (this.#isOver) return
    for (let count = 0; count < RUSH_TO_RESTING; count++) {
      this.#add(this.#random.pick(this.#load.resting))
    }
    for (let count = 0; count < RUSH_TO_ONE; count++) this.#add(one, 0)
    for (let count = 0; count < RUSH_OF_NOTES; count++) {
      if (this.#load.diaries.length > 0) this.#note(this.#random.pick(this.#load.diaries))
    }
  }

  stream(): void {
    for (let count = 0; count < STREAM_OF_NOTES; count++) {
      this.#after(this.#random.below(STREAM_MS), () => {
        if (!this.#isOver && !this.#load.isOver) this.#note(this.#random.pick(this.#load.inboxes))
      })
    }
  }

  #act(): void {
    const draw = this.#random.below(20)
    if (draw < 7) this.#add(this.#random.pick(this.#load.shared))
    else if (draw < 8) this.#addSlowly()
    else if (draw < 12) this.#read()
    else this.#write()
  }

  /** Some of these commands take their time. */
  #add(list: string, slowShare = 0.3): void {
    const id = this.#invoked(list)
    const waitMs = this.#random.chance(slowShare) ? this.#random.below(SHORT_MAX_MS) : undefined
    const heeds = this.#random.chance(0.5)
    const entity = this.#running.node.entity(this.#load.options.list, list)
    this.#attempt(id, 1, () =>
      this.#followed(
        `${id} to ${list}`,
        waitMs === undefined ? entity.add(id) : entity.addLater(id, waitMs, heeds),
      ),
    )
  }

  #followed<Answer>(
    what: string,
    call: Promise<Answer>,
    timeoutMs = this.#load.options.callTimeoutMs,
  ): Promise<Answer> {
    this.#load.options.checks.calls.made({ life: this.#running.life, what, timeoutMs }, call)
    return call
  }

  /** Made once: whether it happened may stay unknown. */
  #addSlowly(): void {
    const { longMaxMs, list } = this.#load.options
    const waitMs = Math.round(longMaxMs * this.#random.float() ** 2)
    if (!this.#load.maySlow(waitMs)) return
    const id = this.#invoked(slowList)
    const heeds = this.#random.chance(0.5)
    const options = { timeout: waitMs + LEEWAY_MS }
    this.#attempt(id, ATTEMPTS_MAX, () => {
      const entity = this.#running.node.entity(list, slowList, options)
      return this.#followed(id, entity.addLater(id, waitMs, heeds), options.timeout)
    })
  }

  #invoked(list: string): string {
    const id = `${this.#running.life.label}.${++this.#count}`
    this.#load.options.checks.ledger.invoked(id, list)
    return id
  }

  #attempt(id: string, attempt: number, call: () => Promise<unknown>): void {
    const { checks, onFailure } = this.#load.options
    call().then(
      () => checks.ledger.acknowledged(id),
      (error: unknown) => {
        onFailure?.(id, error)
        if (attempt >= ATTEMPTS_MAX) return
        this.#after(RETRY_MS, () => this.#attempt(id, attempt + 1, call))
      },
    )
  }

  #read(): void {
    const { checks, list, simulation, onFailure } = this.#load.options
    const entity = this.#random.pick(this.#load.shared)
    const invokedMs = simulation.now
    const what = `a read of ${entity}`
    this.#followed(what, this.#running.node.entity(list, entity).all()).then(
      (ids) => checks.ledger.read(entity, ids, invokedMs),
      (error: unknown) => {
        simulation.record('a read failed')
        onFailure?.(what, error)
      },
    )
  }

  /** A few notes to one inbox or to several, or to diaries; and a word to the singleton. */
  #write(): void {
    const { node } = this.#running
    node.singletons.proxy<string>(clerk).tell('good day')
    const isStored = this.#random.chance(0.3) && this.#load.diaries.length > 0
    const inboxes = isStored ? this.#load.diaries : this.#load.inboxes
    const one = this.#random.chance(0.5) ? this.#random.pick(inboxes) : undefined
    for (let burst = this.#random.below(4); burst >= 0; burst--) {
      this.#note(one ?? this.#random.pick(inboxes))
    }
  }

  #note(entity: string): void {
    const { checks } = this.#load.options
    const { node, life } = this.#running
    const number = (this.#sent.get(entity) ?? 0) + 1
    this.#sent.set(entity, number)
    const note = `${life.label} to ${entity}, ${number}`
    const key = keyOf(entity)
    checks.losses.sent(note, life.label, `${key.name}/${entity}`)
    node.sharding.entityRefFor(key, entity).tell({ note, sender: life.label, number })
  }

  #after(delayMs: number, callback: () => void): void {
    this.#running.life.environment.timers.after(delayMs, callback)
  }
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`)
}
