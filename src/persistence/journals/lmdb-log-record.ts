/**
 * Events of one commit that lie together in the log, so that LMDB has fewer and fuller values to write. A record starts
 * with the event whose order is its key; the others follow without a gap. Two records fit on a page; an event that is
 * larger has a record of its own.
 *
 *   entry   its size in bytes (4), sequence number (8), epoch (8), slice (2), length of the id (2), id, tags, bytes
 *
 * Events that were deleted leave a gap behind, one for all that lie together, so that orders and the weight of the log stay:
 *
 *   gap     its size in bytes (4), how many events (8), how many bytes they had (8), no slice (2), no id (2)
 *
 * A record that begins with a bit that no size has starts with a checksum (4) of its entries and its key: see
 * `lmdb-checksum.ts`. Records of older stores have none.
 *
 * The highest bit of the length of the id says that there are tags (`lmdb-tag-section.ts`): an id is far shorter, and an
 * entry without tags is as it was before there were any.
 */
import { assert } from '../../foundation/assert.ts'
import type { OrderedEvent } from '../slice-reader.ts'
import { noTags } from '../tags.ts'
import {
  checksumBytes,
  checksumIn,
  countAt,
  endsWith,
  epochAt,
  idAt,
  idEnd,
  idLengthAt,
  isChecked,
  isGap,
  isOf,
  isTagged,
  persistenceIdIn,
  sequenceNrAt,
  sequenceNrIn,
  sliceAt,
  stampChecksum,
  tagsFlag,
  type Total,
  totalOf,
} from './lmdb-record-entry.ts'
import { tagSectionEnd, tagsIn } from './lmdb-tag-section.ts'

export const recordBytesMax = 2000

/** What a record takes from the head of an event's stream. */
interface StreamNumbers {
  readonly epoch: number
  readonly slice: number
  /** The event gets the next one. */
  readonly highestSequenceNr: number
}

/** What is filled while a transaction runs, and again by the next one. */
export class LmdbLogRecord {
  readonly #scratch = Buffer.allocUnsafeSlow(checksumBytes + recordBytesMax)
  readonly #scratchView = viewOf(this.#scratch)
  #bytes = this.#scratch
  /** Writes numbers faster than a Buffer does. */
  #view = this.#scratchView
  /** Where the entries begin. */
  #start = 0
  #length = 0

  get isEmpty(): boolean {
    return this.#length === this.#start
  }

  /** Of its entries. */
  get weight(): number {
    return this.#length - this.#start
  }

  /** To be called before the first event of a transaction. One that failed may have left something in it. */
  begin(hasChecksum: boolean): void {
    this.#start = hasChecksum ? checksumBytes : 0
    this.#clear()
  }

  hasRoomFor(id: Buffer, bytes: Uint8Array, tags: Buffer): boolean {
    const length = this.#length + idAt + id.length + tags.length + bytes.byteLength
    return length <= this.#bytes.length
  }

  /**
   * `id` is the persistence id in UTF-8, `tags` the section of the event's tags, empty when it has none. An event that is
   * too large for any record may be added to an empty one.
   */
  add(id: Buffer, stream: StreamNumbers, bytes: Uint8Array, tags: Buffer): void {
    const at = this.#length
    const tagsAt = at + idAt + id.length
    const bytesAt = tagsAt + tags.length
    const end = bytesAt + bytes.byteLength
    if (end > this.#bytes.length) {
      assert(this.isEmpty, 'a record is written before it is too full')
      this.#bytes = Buffer.allocUnsafe(end)
      this.#view = viewOf(this.#bytes)
    }
    const view = this.#view
    view.setUint32(at, end - at)
    view.setFloat64(at + sequenceNrAt, stream.highestSequenceNr + 1)
    view.setFloat64(at + epochAt, stream.epoch)
    view.setUint16(at + sliceAt, stream.slice)
    view.setUint16(at + idLengthAt, tags.length === 0 ? id.length : id.length | tagsFlag)
    this.#bytes.set(id, at + idAt)
    if (tags.length > 0) this.#bytes.set(tags, tagsAt)
    this.#bytes.set(bytes, bytesAt)
    this.#length = end
  }

  /** The record for this key, good until the next event is added to the one that begins now. */
  take(place: number): Buffer {
    const record = this.#bytes.subarray(0, this.#length)
    if (this.#start > 0) stampChecksum(record, place)
    this.#clear()
    return record
  }

  #clear(): void {
    this.#bytes = this.#scratch
    this.#view = this.#scratchView
    this.#length = this.#start
  }
}

export interface StreamName {
  /** The persistence id in UTF-8. */
  readonly id: Buffer
  readonly persistenceId: string
}

/** Events of one stream that follow each other. */
export interface EventRun {
  readonly from: number
  readonly count: number
}

/** From one place of a record to another; of the event there, or of the one before what is between. */
interface Entry {
  readonly at: number
  readonly end: number
  readonly order: number
}

function isEventOf(record: Buffer, at: number, id: Buffer, sequenceNr: number): boolean {
  const idLength = record.readUInt16BE(at + idLengthAt) & ~tagsFlag
  return (
    idLength === id.length &&
    endsWith(record, at + idAt + idLength, id) &&
    sequenceNrIn(record, at) === sequenceNr
  )
}

/** Its bytes lie in the record, or are its own. */
function eventAt(
  record: Buffer,
  { at, end, order }: Entry,
  persistenceId: string,
  hasOwnBytes = false,
): OrderedEvent {
  const tagsAt = idEnd(record, at)
  const hasTags = isTagged(record, at)
  const bytes = record.subarray(hasTags ? tagSectionEnd(record, tagsAt) : tagsAt, end)
  return {
    persistenceId,
    sequenceNr: sequenceNrIn(record, at),
    epoch: record.readDoubleBE(at + epochAt),
    slice: record.readUInt16BE(at + sliceAt),
    order,
    tags: hasTags ? tagsIn(record, tagsAt) : noTags,
    bytes: hasOwnBytes ? Buffer.from(bytes) : bytes,
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Goes through the entries of a record, in place: nothing is copied but what is asked for. */
export class LmdbRecordEntries {
  readonly #record: Buffer
  readonly #start: number
  readonly #place: number
  #total: Total | undefined
  #at = 0
  #next: number
  #order: number
  /** Where the last event ends that was looked for alone. */
  #foundEnd: number
  #foundOrder: number

  private constructor(record: Buffer, place: number, start: number, total: Total | undefined) {
    this.#record = record
    this.#start = start
    this.#place = place
    this.#total = total
    this.#next = start
    this.#order = place - 1
    this.#foundEnd = start
    this.#foundOrder = place - 1
  }

  /** Undefined when it is not one of ours. */
  static in(record: Buffer, place: number): LmdbRecordEntries | undefined {
    if (isChecked(record)) {
      // What has the right checksum was written by us, and is whole.
      const isWhole = record.readUInt32BE(0) === checksumIn(record, place)
      return isWhole ? new LmdbRecordEntries(record, place, checksumBytes, undefined) : undefined
    }
    const total = totalOf(record)
    return total && new LmdbRecordEntries(record, place, 0, total)
  }

  /** Of the first event that it holds, or held. */
  get place(): number {
    return this.#place
  }

  /** How many events the record holds, or held. */
  get count(): number {
    return this.#whole.count
  }

  /** Of all of them as they were stored. */
  get weight(): number {
    return this.#whole.weight
  }

  get #whole(): Total {
    this.#total ??= totalOf(this.#record.subarray(this.#start))
    assert(this.#total !== undefined, 'a record with the right checksum is whole')
    return this.#total
  }

  /** Goes to the next event that is still there; false when there is none. */
  next(): boolean {
    while (this.#next < this.#record.length) {
      this.#at = this.#next
      this.#next += this.#record.readUInt32BE(this.#at)
      if (!isGap(this.#record, this.#at)) {
        this.#order++
        return true
      }
      this.#order += countAt(this.#record, this.#at)
    }
    return false
  }

  /** Whether there is none to go to. */
  get isAllGone(): boolean {
    return this.#record.length === this.#start + idAt && isGap(this.#record, this.#start)
  }

  /** Some events of a stream that follow each other, in bytes of their own. Fewer where one of them is not here. */
  eventsOf(stream: StreamName, { from, count }: EventRun): OrderedEvent[] {
    const record = Buffer.from(this.#record)
    const events: OrderedEvent[] = []
    let order = this.#place - 1
    for (let at = this.#start, end = 0; at < record.length && events.length < count; at = end) {
      end = at + record.readUInt32BE(at)
      order += countAt(record, at)
      if (isEventOf(record, at, stream.id, from + events.length)) {
        events.push(eventAt(record, { at, end, order }, stream.persistenceId))
      }
    }
    return events
  }

  /**
   * One event of a stream, in bytes of its own; undefined when it is not here. Streams that are written in turns follow each other
   * in many records, and are often read in that order: so the search begins where the one before has ended.
   */
  eventOf(stream: StreamName, sequenceNr: number): OrderedEvent | undefined {
    const [at, order] = [this.#foundEnd, this.#foundOrder]
    return (
      this.#search(stream, sequenceNr, { at, order, end: this.#record.length }) ??
      this.#search(stream, sequenceNr, { at: this.#start, order: this.#place - 1, end: at })
    )
  }

  #search(
    { id, persistenceId }: StreamName,
    sequenceNr: number,
    within: Entry,
  ): OrderedEvent | undefined {
    const record = this.#record
    let { order } = within
    for (let { at } = within, end = 0; at < within.end; at = end) {
      end = at + record.readUInt32BE(at)
      order += countAt(record, at)
      if (!isEventOf(record, at, id, sequenceNr)) continue
      this.#foundEnd = end
      this.#foundOrder = order
      return eventAt(record, { at, end, order }, persistenceId, true)
    }
    return undefined
  }

  /** Not one that was made for a single large event. */
  get isOfUsualSize(): boolean {
    return this.#record.length <= checksumBytes + recordBytesMax
  }

  /** The same in bytes of its own: it stays as it is while other things are read. */
  kept(): LmdbRecordEntries {
    return new LmdbRecordEntries(Buffer.from(this.#record), this.#place, this.#start, this.#total)
  }

  /** The whole record. */
  get bytes(): Buffer {
    return this.#record
  }

  get order(): number {
    return this.#order
  }

  get sequenceNr(): number {
    return sequenceNrIn(this.#record, this.#at)
  }

  get slice(): number {
    return this.#record.readUInt16BE(this.#at + sliceAt)
  }

  get epoch(): number {
    return this.#record.readDoubleBE(this.#at + epochAt)
  }

  get persistenceId(): string {
    return persistenceIdIn(this.#record, this.#at)
  }

  isOf(id: Buffer): boolean {
    return isOf(this.#record, this.#at, id)
  }

  get tags(): readonly string[] {
    return isTagged(this.#record, this.#at)
      ? tagsIn(this.#record, idEnd(this.#record, this.#at))
      : noTags
  }

  /** Of this entry. */
  get entryBytes(): number {
    return this.#next - this.#at
  }

  /** Its bytes lie in the record. */
  get event(): OrderedEvent {
    const entry = { at: this.#at, end: this.#next, order: this.#order }
    return eventAt(this.#record, entry, this.persistenceId)
  }

  /** With bytes of its own. */
  get eventCopy(): OrderedEvent {
    const entry = { at: this.#at, end: this.#next, order: this.#order }
    return eventAt(this.#record, entry, this.persistenceId, true)
  }
}
