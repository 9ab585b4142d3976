/**
 * What the store knows about one stream: epoch, highest sequence number, slice, writer, up to where it was deleted, where it was
 * ended, and the places of the events behind the last block that is stored. Plain fields, because an append asks for them; bytes only when it is written.
 */
import { assert } from '../../foundation/assert.ts'
import type { StreamPlace } from '../store-transfer.ts'
import { writerBytesMax } from './fence.ts'
import { checksumOf } from './lmdb-checksum.ts'
import { blockEvents, numberBytes, writeNumber } from './lmdb-layout.ts'

const highestAt = 8
const sliceAt = 16
const writerLengthAt = 18
const writerAt = 20
/** In the length of the writer, which is far shorter: at the end stands the number up to which events are deleted. */
const deletedFlag = 0x8000
/** Likewise: behind that number stands the one behind which the stream was ended. Without it the two are the same. */
const startFlag = 0x4000
/** Likewise: at the very end stands a checksum of all that comes before, and of the id. */
const checkedFlag = 0x2000
const flags = deletedFlag | startFlag | checkedFlag
const endBytes = 8
const checksumBytes = 4
const bytesMax =
  writerAt + writerBytesMax + blockEvents * numberBytes + 2 * endBytes + checksumBytes

export interface PlacesBlock {
  readonly block: number
  readonly places: Buffer
}

export class LmdbStreamHead {
  readonly #slice: number
  #epoch = 0
  #highestSequenceNr = 0
  #deletedSequenceNr = 0
  #startSequenceNr = 0
  #writer = ''
  /** Of the events behind the last block that is stored. */
  readonly #places: number[] = []

  constructor(slice: number) {
    this.#slice = slice
  }

  /** Undefined when the bytes are not a head, or not of this stream. */
  static decode(bytes: Buffer, id: Buffer): LmdbStreamHead | undefined {
    if (bytes.length < writerAt || bytes.length > bytesMax) return undefined
    const stored = withoutChecksum(bytes, id)
    if (stored === undefined) return undefined
    const head = new LmdbStreamHead(stored.readUInt16BE(sliceAt))
    head.#epoch = stored.readDoubleBE(0)
    head.#highestSequenceNr = stored.readDoubleBE(highestAt)
    const { epoch, highestSequenceNr } = head
    const writerLength = stored.readUInt16BE(writerLengthAt)
    const isDeleted = (writerLength & deletedFlag) !== 0
    const hasStart = (writerLength & startFlag) !== 0
    const placesAt = writerAt + (writerLength & ~flags)
    const placesEnd = placesAt + (highestSequenceNr % blockEvents) * numberBytes
    const end = placesEnd + (isDeleted ? endBytes : 0) + (hasStart ? endBytes : 0)
    if (!isCount(epoch) || !isCount(highestSequenceNr) || end !== stored.length) return undefined
    if (hasStart && !isDeleted) return undefined
    const deleted = isDeleted ? stored.readDoubleBE(placesEnd) : 0
    const start = hasStart ? stored.readDoubleBE(placesEnd + endBytes) : deleted
    if (!isCount(deleted) || deleted > highestSequenceNr) return undefined
    if (!isCount(start) || start > deleted) return undefined
    head.#deletedSequenceNr = deleted
    head.#startSequenceNr = start
    head.#writer = stored.toString('utf8', writerAt, placesAt)
    for (let at = placesAt; at < placesEnd; at += numberBytes) {
      head.#places.push(stored.readUIntBE(at, numberBytes))
    }
    return head
  }

  get epoch(): number {
    return this.#epoch
  }

  get highestSequenceNr(): number {
    return this.#highestSequenceNr
  }

  /** The events up to this one are gone. */
  get deletedSequenceNr(): number {
    return this.#deletedSequenceNr
  }

  /** The stream was ended behind this one. */
  get startSequenceNr(): number {
    return this.#startSequenceNr
  }

  get slice(): number {
    return this.#slice
  }

  get writer(): string {
    return this.#writer
  }

  /** Hands the stream to a new writer. */
  claim(writer: string): void {
    this.#epoch++
    this.#writer = writer
  }

  /** Counts one more event, which lies at this place of the log. */
  add(place: number): void {
    this.#places.push(place)
    this.#highestSequenceNr++
  }

  /** All events so far are gone, and what they made. */
  delete(): void {
    this.#deletedSequenceNr = this.#highestSequenceNr
    this.#startSequenceNr = this.#highestSequenceNr
  }

  /** The first events are gone, up to this one. */
  deleteTo(sequenceNr: number): void {
    this.#deletedSequenceNr = sequenceNr
  }

  /** As another store has it. One without events begins where it is told; nobody will look for those before. */
  place({ epoch, writer, deletedSequenceNr, startSequenceNr }: StreamPlace): void {
    this.#epoch = epoch
    this.#writer = writer
    this.#deletedSequenceNr = deletedSequenceNr
    this.#startSequenceNr = startSequenceNr
    if (this.#highestSequenceNr > 0) return
    this.#highestSequenceNr = deletedSequenceNr
    for (let rest = deletedSequenceNr % blockEvents; rest > 0; rest--) this.#places.push(0)
  }

  /** The full blocks of places are of events that nobody will look for: they need not be stored. */
  letGoDeleted(): void {
    this.#places.splice(0, this.#places.length - (this.#places.length % blockEvents))
  }

  /** Parts with the places of a full block, the oldest first. To be done until none is left, before it is encoded. */
  takeBlock(): PlacesBlock | undefined {
    if (this.#places.length < blockEvents) return undefined
    const first = this.#highestSequenceNr - this.#places.length
    const places = Buffer.allocUnsafe(blockEvents * numberBytes)
    writePlaces(places, 0, this.#places.splice(0, blockEvents))
    return { block: first / blockEvents, places }
  }

  /** Of an event behind the last block that is stored: the first has index 0. */
  placeAt(index: number): number | undefined {
    return this.#places[index]
  }

  /** Of the event of this number; undefined when a block that is stored has it. */
  placeOf(sequenceNr: number): number | undefined {
    return this.#places[sequenceNr - 1 - (this.#highestSequenceNr - this.#places.length)]
  }

  /** Of the last event; 0 when the last block that is stored holds it. */
  get lastPlace(): number {
    return this.#places.at(-1) ?? 0
  }

  /** The index holds all events up to this place: parts with the full blocks of them. */
  letGo(upTo: number): void {
    let count = 0
    while ((this.#places[count + blockEvents - 1] ?? Infinity) <= upTo) count += blockEvents
    this.#places.splice(0, count)
  }

  /** With a checksum when it is given the id of the stream. */
  encode(id: Buffer | undefined): Buffer {
    const isWhole = this.#places.length === this.#highestSequenceNr % blockEvents
    assert(isWhole, 'full blocks are taken from a head before it is written')
    const writer = Buffer.from(this.#writer)
    const placesAt = writerAt + writer.length
    const placesEnd = placesAt + this.#places.length * numberBytes
    const isDeleted = this.#deletedSequenceNr > 0
    const hasStart = this.#startSequenceNr !== this.#deletedSequenceNr
    const end = placesEnd + (isDeleted ? endBytes : 0) + (hasStart ? endBytes : 0)
    const bytes = Buffer.allocUnsafe(id === undefined ? end : end + checksumBytes)
    const isChecked = id === undefined ? 0 : checkedFlag
    const marks = (isDeleted ? deletedFlag : 0) | (hasStart ? startFlag : 0) | isChecked
    bytes.writeDoubleBE(this.#epoch, 0)
    bytes.writeDoubleBE(this.#highestSequenceNr, highestAt)
    bytes.writeUInt16BE(this.#slice, sliceAt)
    bytes.writeUInt16BE(writer.length | marks, writerLengthAt)
    if (isDeleted) bytes.writeDoubleBE(this.#deletedSequenceNr, placesEnd)
    if (hasStart) bytes.writeDoubleBE(this.#startSequenceNr, placesEnd + endBytes)
    writer.copy(bytes, writerAt)
    writePlaces(bytes, placesAt, this.#places)
    if (id !== undefined)
      bytes.writeUInt32BE(checksumOf(bytes.subarray(0, end), checksumOf(id)), end)
    return bytes
  }
}

/** Undefined when it does not fit. */
function withoutChecksum(bytes: Buffer, id: Buffer): Buffer | undefined {
  if ((bytes.readUInt16BE(writerLengthAt) & checkedFlag) === 0) return bytes
  const end = bytes.length - checksumBytes
  const rest = bytes.subarray(0, end)
  return checksumOf(rest, checksumOf(id)) === bytes.readUInt32BE(end) ? rest : undefined
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function writePlaces(bytes: Buffer, at: number, places: readonly number[]): void {
  for (const [index, place] of places.entries()) writeNumber(bytes, place, at + index * numberBytes)
}
