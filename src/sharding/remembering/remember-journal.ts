/**
 * The journal as the store of remembered entities: one stream per shard, whose events are lists of ids that were started or
 * stopped. A life claims the stream before it reads it, so that no former one can write.
 *
 * A stream that has become much longer than the set it comes to is written anew, a part with every update: lists of what is
 * remembered, in order with the changes. When all of it stands there, everything before is deleted. Wherever that breaks
 * off, reading from the beginning still gives the set. A journal that deletes no events keeps all of them.
 */
import type { Timers } from '../../foundation/timers.ts'
import { utf8Length } from '../../foundation/text.ts'
import {
  type AppendResult,
  deletesEvents,
  type EventDeletionResult,
  type Journal,
  persistenceIdOf,
} from '../../persistence/index.ts'
import { NotAMessage, ValueCodec } from '../../serialization/internals.ts'
import type { EntityId } from '../shard-id.ts'
import { typeInDataCenter } from '../type-in-data-center.ts'
import { type RememberedEvent, rememberedProtocol } from './remembered-wire.ts'
import {
  type RememberedChange,
  type RememberedIds,
  RememberStoreFailed,
  RememberStoreFenced,
  type RememberStore,
  type RememberStoreOptions,
} from './remember-store.ts'

/** Of one event: some tens of kilobytes, a millisecond of work. Every journal takes so many bytes in one. */
const eventIdsMax = 1_000
const eventIdBytesMax = 65_536
/** Events of one append: some milliseconds of work, with a turn of the event loop in between. */
const eventsAtOnce = 8
/** Read at a time: more events while they have few ids each, and not so many that a thousand ids in each would hold the event loop. */
const readAtOnce = { ids: eventsAtOnce * eventIdsMax, eventsMax: 64 }
/** A stream with fewer ids than this is never written anew. */
const rewriteIdsMin = 10_000
/** It is when it has so many times the ids that are remembered; and at once when lives were too short to end that. */
const rewriteRatio = { some: 3, all: 10 }

/** The type in the persistence ids of all such streams. */
export const rememberedStreamType = '$remembered'

export interface RememberJournalOptions extends RememberStoreOptions {
  readonly journal: Journal
  readonly timers: Timers
  /** What there is to say of another writer that has taken the stream, in whole sentences. */
  readonly adviceOnWriter?: ((writer: string) => string | undefined) | undefined
}

/** A stream that is being written anew. */
interface Rewrite {
  readonly ids: Iterator<EntityId>
  /** The last event that nobody needs when it is done. */
  readonly toSequenceNr: number
  /** Ids written so far, changes included: what the stream has when it is done. */
  written: number
}

export class RememberJournal implements RememberStore {
  readonly #options: RememberJournalOptions
  readonly #persistenceId: string
  readonly #codec = new ValueCodec({ use: 'stored' })
  readonly #protocol = rememberedProtocol()
  #epoch = 0
  #sequenceNr = 0
  /** Ids in all events of the stream. */
  #written = 0
  #rewrite: Rewrite | undefined
  #isClosed = false

  constructor(options: RememberJournalOptions) {
    this.#options = options
    this.#persistenceId = rememberedStreamOf(options.entityType, options.shard, options.dataCenter)
  }

  async load(onChange: (change: RememberedChange) => void): Promise<void> {
    const { journal, writer, grant } = this.#options
    const persistenceId = this.#persistenceId
    const claim = await journal.claim(persistenceId, writer, grant)
    this.#epoch = claim.epoch
    this.#sequenceNr = claim.highestSequenceNr
    const from = (claim.deletedSequenceNr ?? 0) + 1
    const { highestSequenceNr: to } = claim
    let events = eventsAtOnce
    for (let first = from; first <= to && !this.#isClosed;) {
      if (first > from) await this.#nextTurn()
      const last = Math.min(first + events - 1, to)
      const before = this.#written
      const range = { persistenceId, fromSequenceNr: first, toSequenceNr: last }
      await journal.read(range, ({ bytes }) => onChange(this.#changeIn(bytes)))
      events = eventsAfter(events, this.#written - before)
      first = last + 1
    }
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => void this.#options.timers.after(0, resolve))
  }

  async update({ started, stopped }: RememberedChange, remembered: RememberedIds): Promise<void> {
    const rewrite = this.#rewriteOf(remembered)
    // Before what is stopped now: it may be among them.
    if (rewrite !== undefined)
      await this.#goOn(rewrite, this.#partOf(remembered, started.length + stopped.length))
    await this.#append('EntitiesRemembered', started)
    await this.#append('EntitiesForgotten', stopped)
  }

  close(): void {
    this.#isClosed = true
    this.#rewrite = undefined
  }

  #rewriteOf(remembered: RememberedIds): Rewrite | undefined {
    const isLong =
      this.#written >= rewriteIdsMin && this.#written > rewriteRatio.some * remembered.size
    if (this.#rewrite === undefined && isLong && deletesEvents(this.#options.journal)) {
      const ids = remembered[Symbol.iterator]()
      this.#rewrite = { ids, toSequenceNr: this.#sequenceNr, written: 0 }
    }
    return this.#rewrite
  }

  /** More than the update itself has, so that it comes to an end. */
  #partOf({ size }: RememberedIds, changed: number): number {
    const isUrgent = this.#written > rewriteIdsMin + rewriteRatio.all * size
    return isUrgent ? Infinity : Math.max(eventIdsMax, 2 * changed)
  }

  async #goOn(rewrite: Rewrite, max: number): Promise<void> {
    for (let left = max; left > 0;) {
      const wanted = Math.min(left, eventsAtOnce * eventIdsMax)
      const kept = nextOf(rewrite.ids, wanted)
      await this.#append('EntitiesRemembered', kept)
      if (kept.length < wanted) return this.#endRewrite(rewrite)
      left -= wanted
    }
  }

  async #endRewrite({ toSequenceNr, written }: Rewrite): Promise<void> {
    this.#rewrite = undefined
    await this.#deleteTo(toSequenceNr)
    this.#written = written
  }

  async #append(type: RememberedEvent['type'], ids: readonly EntityId[]): Promise<void> {
    this.#written += ids.length
    if (this.#rewrite !== undefined) this.#rewrite.written += ids.length
    let events: Uint8Array[] = []
    for (const part of partsOf(ids)) {
      events.push(this.#codec.encode(this.#protocol.pack({ type, ids: part })))
      if (events.length < eventsAtOnce) continue
      await this.#appendBytes(events)
      events = []
    }
    if (events.length > 0) await this.#appendBytes(events)
  }

  async #appendBytes(events: readonly Uint8Array[]): Promise<void> {
    const result = await this.#options.journal.append({
      persistenceId: this.#persistenceId,
      epoch: this.#epoch,
      expectedSequenceNr: this.#sequenceNr,
      events,
    })
    this.#sequenceNr = this.#checked(result).highestSequenceNr
  }

  async #deleteTo(toSequenceNr: number): Promise<void> {
    const { journal } = this.#options
    if (!deletesEvents(journal)) return
    const persistenceId = this.#persistenceId
    this.#checked(await journal.deleteEventsTo({ persistenceId, epoch: this.#epoch, toSequenceNr }))
  }

  #checked<Result extends AppendResult | EventDeletionResult>(
    result: Result,
  ): Exclude<Result, { type: 'Fenced' | 'SequenceConflict' }> {
    const { adviceOnWriter, entityType, shard } = this.#options
    if (result.type === 'Fenced') {
      const { byWriter } = result
      throw new RememberStoreFenced({ entityType, shard }, byWriter, adviceOnWriter?.(byWriter))
    }
    if (result.type === 'SequenceConflict') {
      throw new RememberStoreFailed(
        `Shard ${shard} of ${entityType} cannot store which entities it remembers: its stream has moved on.`,
      )
    }
    return result as Exclude<Result, { type: 'Fenced' | 'SequenceConflict' }>
  }

  #changeIn(bytes: Uint8Array): RememberedChange {
    const event = this.#protocol.unpack(this.#codec.decode(bytes))
    if (!(event instanceof NotAMessage)) {
      const { type, ids } = event
      this.#written += ids.length
      const isStart = type === 'EntitiesRemembered'
      return isStart ? { started: ids, stopped: [] } : { started: [], stopped: ids }
    }
    const { entityType, shard } = this.#options
    throw new RememberStoreFailed(
      `What shard ${shard} of ${entityType} remembers cannot be read: ${event.problem}. Does another version of Sherd write here?`,
    )
  }
}

/** Where a shard keeps what it remembers. */
export function rememberedStreamOf(entityType: string, shard: number, dataCenter?: string): string {
  const place = typeInDataCenter(entityType, dataCenter)
  return persistenceIdOf(rememberedStreamType, `${place}/${shard}`)
}

/** How many to read next: twice as many while they are small, and as few as at first as soon as they are not. */
function eventsAfter(events: number, ids: number): number {
  return 4 * ids > readAtOnce.ids ? eventsAtOnce : Math.min(2 * events, readAtOnce.eventsMax)
}

function nextOf(ids: Iterator<EntityId>, max: number): EntityId[] {
  const taken: EntityId[] = []
  while (taken.length < max) {
    const next = ids.next()
    if (next.done === true) break
    taken.push(next.value)
  }
  return taken
}

/** In lists that fit into an event. */
function* partsOf(ids: readonly EntityId[]): Iterable<readonly EntityId[]> {
  for (let first = 0; first < ids.length;) {
    let bytes = 0
    let end = first
    while (end < ids.length && end - first < eventIdsMax && bytes < eventIdBytesMax) {
      bytes += utf8Length(ids[end++] as EntityId)
    }
    yield ids.slice(first, end)
    first = end
  }
}
