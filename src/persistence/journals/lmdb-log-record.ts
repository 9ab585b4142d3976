/**
 * Events of one commit that lie together in the log, so that LMDB has fewer and fuller values to write. A record starts
 * with the event whose order is its key; the others follow without a gap. Two records fit on a page; an event that is
 * larger has a record of its own.
 *
 *   entry   its size in bytes (4), sequence number (8), epoch (8), slice (2), length of the id (2), id, bytes
 */
import { assert } from '../../foundation/assert.ts'
import type { StoredEvent } from '../journal.ts'

const recordBytesMax = 2000

const sequenceNrAt = 4
const epochAt = 12
const sliceAt = 20
const idLengthAt = 22
const idAt = 24

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

  hasRoomFor(id: Buffer, bytes: Uint8Array): boolean {
    return this.#length + idAt + id.length + bytes.byteLength <= this.#bytes.length
  }

  /** `id` is the persistence id in UTF-8. An event that is too large for any record may be added to an empty one. */
  add(id: Buffer, stream: StreamNumbers, bytes: Uint8Array): void {
    const at = this.#length
    const bytesAt = at + idAt + id.length
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
    view.setUint16(at + idLengthAt, id.length)
    this.#bytes.set(id, at + idAt)
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
  /** How many events the record holds. */
  readonly count: number
  #at = 0
  #next = 0
  #order: number

  private constructor(record: Buffer, place: number, count: number) {
    this.#record = record
    this.count = count
    this.#order = place - 1
  }

  /** Undefined when it is not one of ours. */
  static in(record: Buffer, place: number): LmdbRecordEntries | undefined {
    let count = 0
    for (let at = 0; at < record.length; at += record.readUInt32BE(at)) {
      if (!isEntry(record, at)) return undefined
      count++
    }
    return count === 0 ? undefined : new LmdbRecordEntries(record, place, count)
  }

  /** Goes to the next entry; false when there is none. */
  next(): boolean {
    if (this.#next >= this.#record.length) return false
    this.#at = this.#next
    this.#next += this.#record.readUInt32BE(this.#at)
    this.#order++
    return true
  }

  get order(): number {
    return this.#order
  }

  get sequenceNr(): number {
    return this.#record.readDoubleBE(this.#at + sequenceNrAt)
  }

  get epoch(): number {
    return this.#record.readDoubleBE(this.#at + epochAt)
  }

  get persistenceId(): string {
    return this.#record.toString('utf8', this.#at + idAt, this.#idEnd)
  }

  isOf(id: Buffer): boolean {
    const start = this.#at + idAt
    const end = this.#idEnd
    // Most ids of a kind differ in their last letter or in their length: that is cheap to see.
    if (end - start !== id.length || this.#record[end - 1] !== id[id.length - 1]) return false
    return this.#record.compare(id, 0, id.length, start, end) === 0
  }

  /** Its bytes lie in the record. */
  get event(): StoredEvent {
    return this.#eventWith(this.#record.subarray(this.#idEnd, this.#next))
  }

  /** With bytes of its own. */
  get eventCopy(): StoredEvent {
    return this.#eventWith(Buffer.from(this.#record.subarray(this.#idEnd, this.#next)))
  }

  #eventWith(bytes: Buffer): StoredEvent {
    return {
      persistenceId: this.persistenceId,
      sequenceNr: this.sequenceNr,
      epoch: this.epoch,
      slice: this.#record.readUInt16BE(this.#at + sliceAt),
      order: this.#order,
      bytes,
    }
  }

  get #idEnd(): number {
    return idEnd(this.#record, this.#at)
  }
}

function isEntry(record: Buffer, at: number): boolean {
  if (at + idAt > record.length) return false
  const end = at + record.readUInt32BE(at)
  return end <= record.length && idEnd(record, at) <= end
}

function idEnd(record: Buffer, at: number): number {
  return at + idAt + record.readUInt16BE(at + idLengthAt)
}
