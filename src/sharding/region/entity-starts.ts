/**
 * Entities that shall be started without a message, wherever their shards live: told to the home, and told again until it
 * has answered. No order with messages is promised, and none is needed.
 */
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
  readonly shard: ShardId
  readonly waiting: Set<EntityId>
  readonly started: (entityIds: readonly EntityId[]) => void
  readonly isWanted: () => boolean
}

/** The first pause: the home of a shard is usually known soon. */
const firstPauseMs = 50

export class EntityStarts {
  readonly #options: EntityStartsOptions
  readonly #open = new Map<number, OpenStart>()
  #lastAsk = 0
  #pauseMs = firstPauseMs
  #timer: Timer | undefined

  constructor(options: EntityStartsOptions) {
    this.#options = options
  }

  /** `started` hears of each id once, some at a time; nothing is done any more once `isWanted` says no. */
  start(
    shard: ShardId,
    entityIds: readonly EntityId[],
    { started, isWanted }: Pick<OpenStart, 'started' | 'isWanted'>,
  ): void {
    const ask = ++this.#lastAsk
    this.#open.set(ask, { shard, waiting: new Set(entityIds), started, isWanted })
    this.#pauseMs = firstPauseMs
    this.#repeatLater()
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
    this.#timer?.cancel()
    this.#open.clear()
  }

  #repeatLater(): void {
    this.#timer?.cancel()
    this.#timer = this.#options.timers.after(this.#pauseMs, () => this.#repeat())
  }

  #repeat(): void {
    const { retryIntervalMs, send } = this.#options
    this.#pauseMs = Math.min(this.#pauseMs * 2, retryIntervalMs)
    for (const [ask, { shard, waiting, isWanted }] of [...this.#open]) {
      if (isWanted()) send(shard, ask, [...waiting])
      else this.#open.delete(ask)
    }
    if (this.#open.size > 0) this.#repeatLater()
  }
}
