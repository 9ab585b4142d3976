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

/** What is filled while a transaction runs. */
export class LmdbLogRecord {
  readonly #scratch = Buffer.allocUnsafe(recordBytesMax)
  #bytes = this.#scratch
  #length = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  hasRoomFor(id: Buffer, bytes: Uint8Array): boolean {
    return this.#length + idAt + id.length + bytes.byteLength <= this.#bytes.length
  }

  /** `id` is the persistence id in UTF-8. An event that is too large for any record may be added to an empty one. */
  add(id: Buffer, event: Omit<StoredEvent, 'persistenceId' | 'order'>): void {
    const at = this.#length
    const bytesAt = at + idAt + id.length
    const end = bytesAt + event.bytes.byteLength
    if (end > this.#bytes.length) {
      assert(this.isEmpty, 'a record is written before it is too full')
      this.#bytes = Buffer.allocUnsafe(end)
    }
    const record = this.#bytes
    record.writeUInt32BE(end - at, at)
    record.writeDoubleBE(event.sequenceNr, at + sequenceNrAt)
    record.writeDoubleBE(event.epoch, at + epochAt)
    record.writeUInt16BE(event.slice, at + sliceAt)
    record.writeUInt16BE(id.length, at + idLengthAt)
    record.set(id, at + idAt)
    record.set(event.bytes, bytesAt)
    this.#length = end
  }

  /** The record, good until the next event is added to the one that begins now. */
  take(): Buffer {
    const record = this.#bytes.subarray(0, this.#length)
    this.#bytes = this.#scratch
    this.#length = 0
    return record
  }
}

/** The events of a record; undefined when it is not one of ours. Their bytes lie in `record`. */
export function decodeRecord(record: Buffer, firstOrder: number): StoredEvent[] | undefined {
  const events: StoredEvent[] = []
  for (let at = 0; at < record.length; at += record.readUInt32BE(at)) {
    const event = isEntry(record, at)
      ? decodeEntry(record, at, firstOrder + events.length)
      : undefined
    if (event === undefined) return undefined
    events.push(event)
  }
  return events
}

/** The one event with this number; undefined when it is not there. */
export function findInRecord(
  record: Buffer,
  firstOrder: number,
  id: Buffer,
  sequenceNr: number,
): StoredEvent | undefined {
  let order = firstOrder
  for (let at = 0; at < record.length; at += record.readUInt32BE(at)) {
    if (!isEntry(record, at)) return undefined
    const isIt =
      record.readDoubleBE(at + sequenceNrAt) === sequenceNr &&
      record.compare(id, 0, id.length, at + idAt, idEnd(record, at)) === 0
    if (isIt) return decodeEntry(record, at, order)
    order++
  }
  return undefined
}

function isEntry(record: Buffer, at: number): boolean {
  if (at + idAt > record.length) return false
  const end = at + record.readUInt32BE(at)
  return end <= record.length && idEnd(record, at) <= end
}

function idEnd(record: Buffer, at: number): number {
  return at + idAt + record.readUInt16BE(at + idLengthAt)
}

function decodeEntry(record: Buffer, at: number, order: number): StoredEvent {
  const bytesAt = idEnd(record, at)
  return {
    persistenceId: record.toString('utf8', at + idAt, bytesAt),
    sequenceNr: record.readDoubleBE(at + sequenceNrAt),
    epoch: record.readDoubleBE(at + epochAt),
    slice: record.readUInt16BE(at + sliceAt),
    order,
    bytes: record.subarray(bytesAt, at + record.readUInt32BE(at)),
  }
}
