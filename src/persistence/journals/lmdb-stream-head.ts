/**
 * What the store knows about one stream: epoch, highest sequence number, slice, writer, up to where it was deleted, and the
 * places of the events behind the last block that is stored. Plain fields, because an append asks for them; bytes only when it is written.
 */
import { assert } from '../../foundation/assert.ts'
import { writerBytesMax } from './fence.ts'
import { blockEvents, numberBytes, writeNumber } from './lmdb-layout.ts'

const highestAt = 8
const sliceAt = 16
const writerLengthAt = 18
const writerAt = 20
/** In the length of the writer, which is far shorter: at the end stands the number up to which events are deleted. */
const deletedFlag = 0x8000
const deletedBytes = 8
const bytesMax = writerAt + writerBytesMax + blockEvents * numberBytes + deletedBytes

export interface PlacesBlock {
  readonly block: number
  readonly places: Buffer
}

export class LmdbStreamHead {
  readonly #slice: number
  #epoch = 0
  #highestSequenceNr = 0
  #deletedSequenceNr = 0
  #writer = ''
  /** Of the events behind the last block that is stored. */
  readonly #places: number[] = []

  constructor(slice: number) {
    this.#slice = slice
  }

  /** Undefined when the bytes are not a head. */
  static decode(stored: Buffer): LmdbStreamHead | undefined {
    if (stored.length < writerAt || stored.length > bytesMax) return undefined
    const head = new LmdbStreamHead(stored.readUInt16BE(sliceAt))
    head.#epoch = stored.readDoubleBE(0)
    head.#highestSequenceNr = stored.readDoubleBE(highestAt)
    const { epoch, highestSequenceNr } = head
    const writerLength = stored.readUInt16BE(writerLengthAt)
    const isDeleted = (writerLength & deletedFlag) !== 0
    const placesAt = writerAt + (writerLength & ~deletedFlag)
    const placesEnd = placesAt + (highestSequenceNr % blockEvents) * numberBytes
    const end = isDeleted ? placesEnd + deletedBytes : placesEnd
    if (!isCount(epoch) || !isCount(highestSequenceNr) || end !== stored.length) return undefined
    if (isDeleted) head.#deletedSequenceNr = stored.readDoubleBE(placesEnd)
    if (!isCount(head.#deletedSequenceNr) || head.#deletedSequenceNr > highestSequenceNr) {
      return undefined
    }
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

  /** All events so far are gone. */
  delete(): void {
    this.#deletedSequenceNr = this.#highestSequenceNr
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

  encode(): Buffer {
    const isWhole = this.#places.length === this.#highestSequenceNr % blockEvents
    assert(isWhole, 'full blocks are taken from a head before it is written')
    const writer = Buffer.from(this.#writer)
    const placesAt = writerAt + writer.length
    const placesEnd = placesAt + this.#places.length * numberBytes
    const isDeleted = this.#deletedSequenceNr > 0
    const bytes = Buffer.allocUnsafe(isDeleted ? placesEnd + deletedBytes : placesEnd)
    bytes.writeDoubleBE(this.#epoch, 0)
    bytes.writeDoubleBE(this.#highestSequenceNr, highestAt)
    bytes.writeUInt16BE(this.#slice, sliceAt)
    bytes.writeUInt16BE(isDeleted ? writer.length | deletedFlag : writer.length, writerLengthAt)
    if (isDeleted) bytes.writeDoubleBE(this.#deletedSequenceNr, placesEnd)
    writer.copy(bytes, writerAt)
    writePlaces(bytes, placesAt, this.#places)
    return bytes
  }
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function writePlaces(bytes: Buffer, at: number, places: readonly number[]): void {
  for (const [index, place] of places.entries()) writeNumber(bytes, place, at + index * numberBytes)
}
