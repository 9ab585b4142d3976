/**
 * What clients on the nodes do: they add unique ids to durable lists and repeat a call under the same id until it is
 * acknowledged, they read, and they send numbered notes. Everything is told to the checkers.
 */
import type { ClusterChecks, SeededRandom, Simulation } from '../../../src/simulation/index.ts'
import type { Running } from './spine-cluster.ts'
import { inboxKey, type ListEntity } from './spine-entities.ts'

const LISTS = 5
const INBOXES = 5
const ATTEMPTS_MAX = 10
const RETRY_MS = 300

export interface SpineLoadOptions {
  readonly simulation: Simulation
  readonly checks: ClusterChecks
  readonly list: ListEntity
  /** The mean pause between two things that one node does. */
  readonly pauseMs: number
}

export class SpineLoad {
  readonly #options: SpineLoadOptions
  #isOver = false
  calls = 0

  constructor(options: SpineLoadOptions) {
    this.#options = options
  }

  static readonly lists: readonly string[] = Array.from({ length: LISTS }, (_, n) => `l${n}`)

  static readonly inboxes: readonly string[] = Array.from({ length: INBOXES }, (_, n) => `i${n}`)

  begin(running: Running): void {
    const random = this.#options.simulation.random.fork(`load ${running.life.label}`)
    new Client(this.#options, running, random, () => this.#isOver).goOn()
  }

  /** Nothing new is begun. */
  end(): void {
    this.#isOver = true
  }
}

class Client {
  readonly #options: SpineLoadOptions
  readonly #running: Running
  readonly #random: SeededRandom
  readonly #isOver: () => boolean
  readonly #sent = new Map<string, number>()
  #count = 0

  constructor(
    options: SpineLoadOptions,
    running: Running,
    random: SeededRandom,
    isOver: () => boolean,
  ) {
    this.#options = options
    this.#running = running
    this.#random = random
    this.#isOver = isOver
  }

  goOn(): void {
    const pauseMs = 2 * this.#options.pauseMs * this.#random.float()
    this.#after(pauseMs, () => {
      if (this.#isOver()) return
      this.#act()
      this.goOn()
    })
  }

  #act(): void {
    const draw = this.#random.below(10)
    if (draw < 4) this.#add()
    else if (draw < 6) this.#read()
    else for (let burst = this.#random.below(4); burst >= 0; burst--) this.#note()
  }

  #add(): void {
    const id = `${this.#running.life.label}.${++this.#count}`
    const entity = `l${this.#random.below(LISTS)}`
    this.#options.checks.ledger.invoked(id, entity)
    this.#tryAdd(id, entity, 1)
  }

  #tryAdd(id: string, entity: string, attempt: number): void {
    const { checks, list } = this.#options
    this.#running.node
      .entity(list, entity)
      .add(id)
      .then(
        () => checks.ledger.acknowledged(id),
        () => {
          if (attempt >= ATTEMPTS_MAX) return
          this.#after(RETRY_MS, () => this.#tryAdd(id, entity, attempt + 1))
        },
      )
  }

  #read(): void {
    const { checks, list, simulation } = this.#options
    const entity = `l${this.#random.below(LISTS)}`
    const invokedMs = simulation.now
    this.#running.node
      .entity(list, entity)
      .all()
      .then(
        (ids) => checks.ledger.read(entity, ids, invokedMs),
        () => simulation.record('a read failed'),
      )
  }

  #note(): void {
    const { checks } = this.#options
    const { node, life } = this.#running
    const entity = `i${this.#random.below(INBOXES)}`
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
