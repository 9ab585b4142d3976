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
 * The highest bit of the length of the id says that there are tags (`lmdb-tag-section.ts`): an id is far shorter, and an
 * entry without tags is as it was before there were any.
 */
import { assert } from '../../foundation/assert.ts'
import type { OrderedEvent } from '../slice-reader.ts'
import { noTags } from '../tags.ts'
import { isTagSection, tagSectionEnd, tagsIn } from './lmdb-tag-section.ts'

const recordBytesMax = 2000

const sequenceNrAt = 4
const epochAt = 12
const sliceAt = 20
const idLengthAt = 22
const idAt = 24
const tagsFlag = 0x8000
/** In place of a slice, of which there are 1024. */
const gapSlice = 0xffff
const gapCountAt = sequenceNrAt
const gapBytesAt = epochAt

/** What a record takes from the head of an event's stream. */
interface StreamNumbers {
  readonly epoch: number
  readonly slice: number
  /** The event gets the next one. */
  readonly highestSequenceNr: number
}

/** What is filled while a transaction runs, and again by the next one. */
export class LmdbLogRecord {
  readonly #scratch = Buffer.allocUnsafeSlow(recordBytesMax)
  readonly #scratchView = viewOf(this.#scratch)
  #bytes = this.#scratch
  /** Writes numbers faster than a Buffer does. */
  #view = this.#scratchView
  #length = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  get length(): number {
    return this.#length
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

  /** The record, good until the next event is added to the one that begins now. */
  take(): Buffer {
    const record = this.#bytes.subarray(0, this.#length)
    this.clear()
    return record
  }

  clear(): void {
    this.#bytes = this.#scratch
    this.#view = this.#scratchView
    this.#length = 0
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** Goes through the entries of a record, in place: nothing is copied but what is asked for. */
export class LmdbRecordEntries {
  readonly #record: Buffer
  /** How many events the record holds, or held. */
  readonly count: number
  /** Of all of them as they were stored. */
  readonly weight: number
  readonly #hasGaps: boolean
  #at = 0
  #next = 0
  #order: number

  private constructor(record: Buffer, place: number, count: number, weight: number) {
    this.#record = record
    this.count = count
    this.weight = weight
    this.#hasGaps = weight !== record.length
    this.#order = place - 1
  }

  /** Undefined when it is not one of ours. */
  static in(record: Buffer, place: number): LmdbRecordEntries | undefined {
    let count = 0
    let weight = 0
    // Every event that is read comes by here, with all its neighbours: each is looked at as little as possible.
    for (let at = 0, size = 0; at < record.length; at += size) {
      if (at + idAt > record.length) return undefined
      size = record.readUInt32BE(at)
      const idLength = record.readUInt16BE(at + idLengthAt)
      if (idLength === 0) {
        if (size !== idAt || !isWholeGap(record, at)) return undefined
        count += countAt(record, at)
        weight += weightAt(record, at)
      } else {
        if (!isWholeEvent(record, at, size, idLength)) return undefined
        count++
        weight += size
      }
    }
    return count === 0 ? undefined : new LmdbRecordEntries(record, place, count, weight)
  }

  /** Goes to the next event that is still there; false when there is none. */
  next(): boolean {
    while (this.#next < this.#record.length) {
      this.#at = this.#next
      this.#next += this.#record.readUInt32BE(this.#at)
      if (!this.#hasGaps || !isGap(this.#record, this.#at)) {
        this.#order++
        return true
      }
      this.#order += countAt(this.#record, this.#at)
    }
    return false
  }

  /** The whole record. */
  get bytes(): Buffer {
    return this.#record
  }

  get order(): number {
    return this.#order
  }

  get sequenceNr(): number {
    return this.#record.readDoubleBE(this.#at + sequenceNrAt)
  }

  get slice(): number {
    return this.#record.readUInt16BE(this.#at + sliceAt)
  }

  get epoch(): number {
    return this.#record.readDoubleBE(this.#at + epochAt)
  }

  get persistenceId(): string {
    return this.#record.toString('utf8', this.#at + idAt, this.#idEnd)
  }

  isOf(id: Buffer): boolean {
    return isOf(this.#record, this.#at, id)
  }

  /** Of this entry. */
  get entryBytes(): number {
    return this.#next - this.#at
  }

  /** Its bytes lie in the record. */
  get event(): OrderedEvent {
    return this.#eventWith(this.#record.subarray(this.#bytesAt, this.#next))
  }

  /** With bytes of its own. */
  get eventCopy(): OrderedEvent {
    return this.#eventWith(Buffer.from(this.#record.subarray(this.#bytesAt, this.#next)))
  }

  #eventWith(bytes: Buffer): OrderedEvent {
    return {
      persistenceId: this.persistenceId,
      sequenceNr: this.sequenceNr,
      epoch: this.epoch,
      slice: this.slice,
      order: this.#order,
      tags: this.#isTagged ? tagsIn(this.#record, this.#idEnd) : noTags,
      bytes,
    }
  }

  get #idEnd(): number {
    return idEnd(this.#record, this.#at)
  }

  get #isTagged(): boolean {
    return isTagged(this.#record, this.#at)
  }

  get #bytesAt(): number {
    return this.#isTagged ? tagSectionEnd(this.#record, this.#idEnd) : this.#idEnd
  }
}

/** The record without the events of this stream up to a number. What is left of them says how many they were, and no more. */
export function scrubbed(record: Buffer, id: Buffer, upTo: number): Buffer {
  const parts: Buffer[] = []
  let count = 0
  let weight = 0
  const endGap = (): void => {
    if (count > 0) parts.push(gapOf(count, weight))
    count = 0
    weight = 0
  }
  for (let at = 0, end = 0; at < record.length; at = end) {
    end = at + record.readUInt32BE(at)
    const isGone =
      isGap(record, at) || (isOf(record, at, id) && record.readDoubleBE(at + sequenceNrAt) <= upTo)
    if (isGone) {
      count += countAt(record, at)
      weight += weightAt(record, at)
      continue
    }
    endGap()
    parts.push(record.subarray(at, end))
  }
  endGap()
  return Buffer.concat(parts)
}

function gapOf(count: number, weight: number): Buffer {
  const gap = Buffer.alloc(idAt)
  gap.writeUInt32BE(idAt, 0)
  gap.writeDoubleBE(count, gapCountAt)
  gap.writeDoubleBE(weight, gapBytesAt)
  gap.writeUInt16BE(gapSlice, sliceAt)
  return gap
}

/** No event has an empty id. */
function isGap(record: Buffer, at: number): boolean {
  return record.readUInt16BE(at + idLengthAt) === 0
}

/** How many events are here, or were. */
function countAt(record: Buffer, at: number): number {
  return isGap(record, at) ? record.readDoubleBE(at + gapCountAt) : 1
}

/** Their bytes when they were stored. */
function weightAt(record: Buffer, at: number): number {
  return isGap(record, at) ? record.readDoubleBE(at + gapBytesAt) : record.readUInt32BE(at)
}

function isOf(record: Buffer, at: number, id: Buffer): boolean {
  const start = at + idAt
  const end = idEnd(record, at)
  // Most ids of a kind differ in their last letter or in their length: that is cheap to see.
  if (end - start !== id.length || record[end - 1] !== id[id.length - 1]) return false
  return record.compare(id, 0, id.length, start, end) === 0
}

function isWholeGap(record: Buffer, at: number): boolean {
  const count = countAt(record, at)
  return (
    record.readUInt16BE(at + sliceAt) === gapSlice &&
    Number.isSafeInteger(count) &&
    count > 0 &&
    weightAt(record, at) > idAt
  )
}

function isWholeEvent(record: Buffer, at: number, size: number, idLength: number): boolean {
  const end = at + size
  const idEndsAt = at + idAt + (idLength & ~tagsFlag)
  if (end > record.length || idEndsAt > end) return false
  return (idLength & tagsFlag) === 0 || isTagSection(record, idEndsAt, end)
}

function isTagged(record: Buffer, at: number): boolean {
  return (record.readUInt16BE(at + idLengthAt) & tagsFlag) !== 0
}

function idEnd(record: Buffer, at: number): number {
  return at + idAt + (record.readUInt16BE(at + idLengthAt) & ~tagsFlag)
}
