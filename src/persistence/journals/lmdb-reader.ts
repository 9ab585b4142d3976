/**
 * Reads events and registers back, events some at a time, and trusts nothing: each event must be the one the index promised. Works on a snapshot of
 * what is durable and never on heads in memory, which may be ahead of it. The index ends at the head in the table; events
 * behind that are looked for in the tail of the log, which is short. The log has one order for all events, 1, 2, 3 and so on,
 * with gaps only where events were deleted: LMDB has only one writer at a time. No other store promises that.
 */
import type { Grant } from '../../foundation/grant.ts'
import { JournalCorrupted } from '../persistence-errors.ts'
import type { StoredState } from '../durable-states.ts'
import type { IdPage } from '../id-list.ts'
import type { StoredRegister } from '../registers.ts'
import type { OrderedEvent, SlicePage, SliceQuery } from '../slice-reader.ts'
import type { SnapshotQuery, StoredSnapshot } from '../snapshots.ts'
import { listNames, type NameQuery } from './lmdb-ids.ts'
import { grantsIn } from './lmdb-grants.ts'
import { blockEvents, blockKey, numberBytes } from './lmdb-layout.ts'
import { LatelyUsed } from './lately-used.ts'
import type { EventRun, LmdbRecordEntries, StreamName } from './lmdb-log-record.ts'
import { readRegister } from './lmdb-registers.ts'
import { nextDeletion } from './lmdb-scrub.ts'
import type { LmdbSettings } from './lmdb-settings.ts'
import { findSnapshot } from './lmdb-snapshots.ts'
import { readState } from './lmdb-states.ts'
import type { LmdbStreamHead } from './lmdb-stream-head.ts'
import { isSweepDue, readSweep } from './lmdb-sweep.ts'
import {
  glanceAtRecord,
  inSnapshot,
  keyOfRecord,
  type LmdbTables,
  readCount,
  readHead,
  readRecord,
  recordAt,
} from './lmdb-tables.ts'

export interface StreamRange {
  /** The persistence id in UTF-8. */
  readonly id: Buffer
  readonly from: number
  readonly to: number
  /** Events behind this one of the log are left out. It is the last of a commit. */
  readonly lastOrder: number
}

/** Of one generation; there are two, of records of at most 2 kB. */
const recordsKept = 512

export class LmdbReader {
  readonly #tables: LmdbTables
  readonly #settings: LmdbSettings
  /** Records that were read lately, by place. What lives in them never changes. */
  readonly #records = new LatelyUsed<LmdbRecordEntries>(recordsKept)

  constructor(tables: LmdbTables, settings: LmdbSettings) {
    this.#tables = tables
    this.#settings = settings
  }

  /** Of the last durable event of the store. */
  lastOrder(): number {
    return inSnapshot(this.#tables, () => readCount(this.#tables).lastOrder)
  }

  /** The next events of the range, at least one when there is one, no more than are read in one go. */
  chunk(range: StreamRange): OrderedEvent[] {
    return inSnapshot(this.#tables, () => {
      const head = readHead(this.#tables, range.id)
      const indexed = head?.highestSequenceNr ?? 0
      const from = Math.max(range.from, (head?.deletedSequenceNr ?? 0) + 1)
      return head !== undefined && from <= indexed
        ? this.#readIndexed({ ...range, from }, head)
        : this.#readTail({ ...range, from }, indexed)
    })
  }

  /** Whether events that were deleted are still in the log. */
  hasDeletions(): boolean {
    return inSnapshot(this.#tables, () => nextDeletion(this.#tables) !== undefined)
  }

  /** Whether somebody should go on with the sweep. */
  isSweepDue(): boolean {
    return inSnapshot(this.#tables, () => isSweepDue(readSweep(this.#tables)))
  }

  snapshot(query: SnapshotQuery): StoredSnapshot | undefined {
    return inSnapshot(this.#tables, () => {
      const head = readHead(this.#tables, Buffer.from(query.persistenceId))
      return head && findSnapshot(this.#tables, query, head.startSequenceNr)
    })
  }

  state(persistenceId: string): StoredState | undefined {
    return inSnapshot(this.#tables, () => readState(this.#tables, persistenceId))
  }

  /** What is stored of a state takes so many. */
  stateBytes(persistenceId: string): number {
    const id = Buffer.from(persistenceId)
    return inSnapshot(this.#tables, () => this.#tables.states.getBinaryFast(id)?.length ?? 0)
  }

  names(table: 'heads' | 'states' | 'registers', query: NameQuery): IdPage {
    return inSnapshot(this.#tables, () => listNames(this.#tables[table], query))
  }

  /** Events of these slices whose order is greater than `after`, no more than are looked at in one go. */
  page(query: SliceQuery, after: number): SlicePage {
    return inSnapshot(this.#tables, () => this.#readLog(query, after))
  }

  register(name: string): StoredRegister | undefined {
    return inSnapshot(this.#tables, () => readRegister(this.#tables, name))
  }

  grants(): readonly Grant[] {
    return inSnapshot(this.#tables, () => grantsIn(this.#tables))
  }

  #readLog({ fromSlice, toSlice, tag, eventsMax }: SliceQuery, after: number): SlicePage {
    const { lastOrder } = readCount(this.#tables)
    const chunk = new Chunk(this.#settings, eventsMax)
    const page = (next: number): SlicePage => {
      return { events: chunk.events, next: `${next}`, isLast: next >= lastOrder }
    }
    // No key can be made of a number that is far too large.
    if (after >= lastOrder) return page(after)
    const isGone = this.#goneEvents()
    const first = keyOfRecord(this.#tables, after + 1) ?? after + 1
    for (let place = first; place <= lastOrder;) {
      const entries = readRecord(this.#tables, place)
      while (entries.next()) {
        const { order, slice } = entries
        if (order <= after) continue
        if (chunk.isFull) return page(order - 1)
        const isWanted =
          slice >= fromSlice &&
          slice <= toSlice &&
          (tag === undefined || entries.tags.includes(tag)) &&
          !isGone(entries)
        if (isWanted) chunk.add(entries.event)
        else chunk.skip(entries.entryBytes)
      }
      place += entries.count
      // Of records whose events are all gone there may be many, and none of them fills the page.
      if (entries.isAllGone) chunk.skip(entries.bytes.length)
      if (chunk.isFull) return page(place - 1)
    }
    return page(lastOrder)
  }

  /** Whether an event was deleted that is still in the log. Only where something waits to be scrubbed or swept. */
  #goneEvents(): (entry: LmdbRecordEntries) => boolean {
    const tables = this.#tables
    if (nextDeletion(tables) === undefined && readSweep(tables) === undefined) return () => false
    const deleted = new Map<string, number>()
    return ({ persistenceId, sequenceNr }) => {
      let upTo = deleted.get(persistenceId)
      if (upTo === undefined) {
        upTo = readHead(tables, Buffer.from(persistenceId))?.deletedSequenceNr ?? 0
        deleted.set(persistenceId, upTo)
      }
      return sequenceNr <= upTo
    }
  }

  /** Events of the stream that lie in one record are taken from it in one go. */
  #readIndexed({ id, from, to, lastOrder }: StreamRange, head: LmdbStreamHead): OrderedEvent[] {
    const last = Math.min(to, head.highestSequenceNr)
    const chunk = new Chunk(this.#settings)
    const stream = { id, persistenceId: id.toString() }
    const placeOf = this.#index(id, head)
    for (let number = from; number <= last && !chunk.isFull;) {
      const place = placeOf(number)
      const end = Math.min(last, number + chunk.left - 1)
      let count = 1
      while (number + count <= end && placeOf(number + count) === place) count++
      const events = this.#eventsAt(place, stream, { from: number, count })
      for (const event of events) {
        if (event.order > lastOrder) return chunk.events
        if (chunk.isFull) break
        chunk.add(event)
        number++
      }
      if (events.length < count && !chunk.isFull) {
        throw this.#damage(`event ${number} of "${id}" is not where the index says`)
      }
    }
    return chunk.events
  }

  /** Tells the place of an event. Asked for one after the other, it reads each block once. */
  #index(id: Buffer, head: LmdbStreamHead): (sequenceNr: number) => number {
    const { highestSequenceNr } = head
    const blocked = highestSequenceNr - (highestSequenceNr % blockEvents)
    let places: Buffer | undefined
    let blockEnd = 0
    return (sequenceNr) => {
      const index = (sequenceNr - 1) % blockEvents
      if (sequenceNr > blocked) return head.placeAt(index) ?? 0
      if (places === undefined || sequenceNr > blockEnd) {
        places = this.#block(id, sequenceNr)
        blockEnd = sequenceNr - index + blockEvents - 1
      }
      return places.readUIntBE(index * numberBytes, numberBytes)
    }
  }

  /** `indexed` is the last number that the index knows. */
  #readTail({ id, from, to, lastOrder }: StreamRange, indexed: number): OrderedEvent[] {
    const count = readCount(this.#tables)
    const end = Math.min(lastOrder, count.lastOrder)
    const chunk = new Chunk(this.#settings)
    let next = indexed + 1
    for (let place = count.headsOrder + 1; place <= end;) {
      const entries = glanceAtRecord(this.#tables, place)
      while (entries.next()) {
        if (!entries.isOf(id) || entries.sequenceNr < next) continue
        if (entries.sequenceNr !== next) throw this.#damage(`event ${next} of "${id}" is missing`)
        if (next > to || chunk.isFull) return chunk.events
        if (next >= from) chunk.add(entries.eventCopy)
        next++
      }
      place += entries.count
    }
    return chunk.events
  }

  #block(id: Buffer, sequenceNr: number): Buffer {
    const block = Math.floor((sequenceNr - 1) / blockEvents)
    const places = this.#tables.blocks.getBinary(blockKey(id, block))
    if (places?.length === blockEvents * numberBytes) return places
    throw this.#damage(`block ${block} of the index of "${id}" is missing`)
  }

  #eventsAt(place: number, stream: StreamName, run: EventRun): OrderedEvent[] {
    const { from, count } = run
    if (count > 1) return recordAt(this.#tables, place).eventsOf(stream, run)
    const event = this.#sharedRecord(place).eventOf(stream, from)
    return event === undefined ? [] : [event]
  }

  /** Where a record has one event of each of many streams, the next stream that is read wants its neighbours. */
  #sharedRecord(place: number): LmdbRecordEntries {
    const known = this.#records.get(place)
    if (known !== undefined) return known
    const record = recordAt(this.#tables, place)
    if (!record.isOfUsualSize) return record
    const kept = record.kept()
    this.#records.set(place, kept)
    return kept
  }

  #damage(problem: string): JournalCorrupted {
    return new JournalCorrupted(this.#tables.folder, problem)
  }
}

/** Events that are read in one go. */
class Chunk {
  readonly events: OrderedEvent[] = []
  readonly #settings: LmdbSettings
  readonly #eventsMax: number
  /** Passed over. */
  #skipped = 0
  #bytes = 0

  constructor(settings: LmdbSettings, eventsMax = Infinity) {
    this.#settings = settings
    this.#eventsMax = eventsMax
  }

  get isFull(): boolean {
    const { readEventsMax, readBytesMax } = this.#settings
    const { length } = this.events
    const isAllRead = length + this.#skipped >= readEventsMax || this.#bytes >= readBytesMax
    return isAllRead || length >= this.#eventsMax
  }

  /** Events that it takes at most. */
  get left(): number {
    return Math.max(this.#settings.readEventsMax - this.events.length, 1)
  }

  add(event: OrderedEvent): void {
    this.events.push(event)
    this.#bytes += event.bytes.byteLength
  }

  skip(bytes: number): void {
    this.#skipped++
    this.#bytes += bytes
  }
}
