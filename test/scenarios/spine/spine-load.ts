/**
 * What clients on the nodes do: they add unique ids to durable lists and repeat a call under the same id until it is
 * acknowledged, they read, and they send numbered notes. Some commands take their time; those that may take very long are
 * for one list alone, one at a time. Everything is told to the checkers.
 */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { Running } from './spine-cluster.ts'
import { inboxKey, type ListEntity } from './spine-entities.ts'

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
  /** The mean pause between two things that one node does. */
  readonly pauseMs: number
  /** The longest that a command of the slow list takes. */
  readonly longMaxMs: number
  /** Whether other commands go there as well, and wait. */
  readonly isSlowShared: boolean
  /** Hears of calls that failed. Without it they are made again. */
  readonly onFailure?: (call: string, error: unknown) => void
}

const slowList = 'slow'

export class SpineLoad {
  readonly lists: readonly string[]
  readonly inboxes: readonly string[]
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

  #act(): void {
    const draw = this.#random.below(20)
    if (draw < 7) this.#add()
    else if (draw < 8) this.#addSlowly()
    else if (draw < 12) this.#read()
    else this.#write()
  }

  #add(): void {
    const list = this.#random.pick(this.#load.shared)
    const id = this.#invoked(list)
    const waitMs = this.#random.chance(0.3) ? this.#random.below(SHORT_MAX_MS) : undefined
    const heeds = this.#random.chance(0.5)
    const entity = this.#running.node.entity(this.#load.options.list, list)
    this.#attempt(id, 1, () =>
      waitMs === undefined ? entity.add(id) : entity.addLater(id, waitMs, heeds),
    )
  }

  /** Made once: whether it happened may stay unknown. */
  #addSlowly(): void {
    const { longMaxMs, list } = this.#load.options
    const waitMs = Math.round(longMaxMs * this.#random.float() ** 2)
    if (!this.#load.maySlow(waitMs)) return
    const id = this.#invoked(slowList)
    const heeds = this.#random.chance(0.5)
    const options = { timeout: waitMs + LEEWAY_MS }
    this.#attempt(id, ATTEMPTS_MAX, () =>
      this.#running.node.entity(list, slowList, options).addLater(id, waitMs, heeds),
    )
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
    this.#running.node
      .entity(list, entity)
      .all()
      .then(
        (ids) => checks.ledger.read(entity, ids, invokedMs),
        (error: unknown) => {
          simulation.record('a read failed')
          onFailure?.(`a read of ${entity}`, error)
        },
      )
  }

  /** A few notes to one inbox or to several. */
  #write(): void {
    const { inboxes } = this.#load
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
    checks.losses.sent(note, life.label, `Inbox/${entity}`)
    node.sharding.entityRefFor(inboxKey, entity).tell({ note, sender: life.label, number })
  }

  #after(delayMs: number, callback: () => void): void {
    this.#running.life.environment.timers.after(delayMs, callback)
  }
}

function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`)
}
