/**
 * Entities that shall be started without a message, wherever their shards live: told to the home, and told again until it
 * has answered, after pauses that grow. No order with messages is promised, and none is needed.
 *
 * Invariants: what is open is due at one tick, or is about to be told again, whatever else is asked for meanwhile; one turn
 * tells a bounded number of ids again, however many are due.
 */
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import type { EntitiesStarted } from '../sharding-messages.ts'

export interface EntityStartsOptions {
  readonly timers: Timers
  /** The longest pause between two tries. */
  readonly retryIntervalMs: number
  /** To the home of the shard, if it is known; otherwise that is asked for. */
  readonly send: (shard: ShardId, ask: number, entityIds: readonly EntityId[]) => void
}

interface OpenStart {
  readonly ask: number
  readonly shard: ShardId
  readonly waiting: Set<EntityId>
  readonly started: (entityIds: readonly EntityId[]) => void
  readonly isWanted: () => boolean
  /** Ticks until it is told again. */
  pause: number
}

/** The first pause: the home of a shard is usually known soon. */
const tickMs = 50
/** Some milliseconds of work. */
const repeatedInATurn = 1_000

export class EntityStarts {
  readonly #options: EntityStartsOptions
  readonly #pauseMax: number
  readonly #open = new Map<number, OpenStart>()
  /** By the tick at which they are told again. */
  readonly #due = new Map<number, OpenStart[]>()
  /** Those whose tick has come. */
  readonly #overdue = new RingBuffer<OpenStart>()
  #lastAsk = 0
  #tick = 0
  #ticking: Timer | undefined
  #repeating: Timer | undefined

  constructor(options: EntityStartsOptions) {
    this.#options = options
    this.#pauseMax = Math.max(1, Math.floor(options.retryIntervalMs / tickMs))
  }

  /** `started` hears of each id once, some at a time; nothing is done any more once `isWanted` says no. */
  start(
    shard: ShardId,
    entityIds: readonly EntityId[],
    { started, isWanted }: Pick<OpenStart, 'started' | 'isWanted'>,
  ): void {
    const ask = ++this.#lastAsk
    const open = { ask, shard, waiting: new Set(entityIds), started, isWanted, pause: 1 }
    this.#open.set(ask, open)
    this.#repeatLater(open)
    this.#ticking ??= this.#options.timers.after(tickMs, () => this.#ticked())
    this.#options.send(shard, ask, entityIds)
  }

  answered({ ask, entityIds }: Pick<EntitiesStarted, 'ask' | 'entityIds'>): void {
    const open = this.#open.get(ask)
    if (open === undefined) return
    const news = entityIds.filter((entityId) => open.waiting.delete(entityId))
    if (open.waiting.size === 0) this.#open.delete(ask)
    if (news.length > 0) open.started(news)
  }

  cancel(): void {
    this.#ticking?.cancel()
    this.#repeating?.cancel()
    this.#open.clear()
  }

  #repeatLater(open: OpenStart): void {
    const tick = this.#tick + open.pause
    open.pause = Math.min(2 * open.pause, this.#pauseMax)
    const others = this.#due.get(tick)
    if (others === undefined) this.#due.set(tick, [open])
    else others.push(open)
  }

  #ticked(): void {
    const goesOn = this.#open.size > 0
    this.#ticking = goesOn ? this.#options.timers.after(tickMs, () => this.#ticked()) : undefined
    const due = this.#due.get(++this.#tick) ?? []
    this.#due.delete(this.#tick)
    for (const open of due) this.#overdue.push(open)
    if (this.#repeating === undefined) this.#repeat()
  }

  #repeat(): void {
    this.#repeating = undefined
    for (let told = 0; told < repeatedInATurn;) {
      const open = this.#overdue.shift()
      if (open === undefined) return
      told += this.#tellAgain(open)
    }
    this.#repeating = this.#options.timers.after(0, () => this.#repeat())
  }

  /** Answers how many ids that were. */
  #tellAgain(open: OpenStart): number {
    const { ask, shard, waiting, isWanted } = open
    if (waiting.size === 0) return 0
    if (!isWanted()) {
      this.#open.delete(ask)
      return 1
    }
    this.#repeatLater(open)
    this.#options.send(shard, ask, [...waiting])
    return waiting.size
  }
}
