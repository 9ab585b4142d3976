/**
 * What the store knows about one stream, as bytes that are read, changed and written back as a whole: epoch, highest
 * sequence number, slice, writer, and the places of the events since the last full block.
 */
import { assert } from '../../foundation/assert.ts'
import { writerBytesMax } from './fence.ts'
import { blockEvents, numberBytes, writeNumber } from './lmdb-layout.ts'

const highestAt = 8
const sliceAt = 16
const writerLengthAt = 18
const writerAt = 20
const bytesMax = writerAt + writerBytesMax + blockEvents * numberBytes

export class LmdbStreamHead {
  readonly #bytes = Buffer.allocUnsafe(bytesMax)

  static fresh(slice: number): LmdbStreamHead {
    const head = new LmdbStreamHead()
    head.#bytes.fill(0, 0, writerAt)
    head.#bytes.writeUInt16BE(slice, sliceAt)
    return head
  }

  /** A head of its own, with a copy of the bytes; undefined when they are not a head. */
  static decode(stored: Buffer): LmdbStreamHead | undefined {
    if (stored.length < writerAt || stored.length > bytesMax) return undefined
    const head = new LmdbStreamHead()
    stored.copy(head.#bytes)
    const isOurs = Number.isSafeInteger(head.epoch) && Number.isSafeInteger(head.highestSequenceNr)
    return isOurs && head.#length === stored.length ? head : undefined
  }

  get epoch(): number {
    return this.#bytes.readDoubleBE(0)
  }

  get highestSequenceNr(): number {
    return this.#bytes.readDoubleBE(highestAt)
  }

  get slice(): number {
    return this.#bytes.readUInt16BE(sliceAt)
  }

  get writer(): string {
    return this.#bytes.toString('utf8', writerAt, this.#placesAt)
  }

  /** Hands the stream to a new writer. */
  claim(writer: string): void {
    const places = Buffer.from(this.#bytes.subarray(this.#placesAt, this.#length))
    this.#bytes.writeDoubleBE(this.epoch + 1, 0)
    const writerLength = this.#bytes.write(writer, writerAt, writerBytesMax)
    this.#bytes.writeUInt16BE(writerLength, writerLengthAt)
    places.copy(this.#bytes, writerAt + writerLength)
  }

  /** Counts one more event, which lies at this place of the log. Answers the places of a block when that is full. */
  add(place: number): Buffer | undefined {
    const index = this.highestSequenceNr % blockEvents
    const at = this.#placesAt
    writeNumber(this.#bytes, place, at + index * numberBytes)
    this.#bytes.writeDoubleBE(this.highestSequenceNr + 1, highestAt)
    if (index + 1 < blockEvents) return undefined
    return this.#bytes.subarray(at, at + blockEvents * numberBytes)
  }

  /** Of the events since the last full block. */
  get places(): Buffer {
    return this.#bytes.subarray(this.#placesAt, this.#length)
  }

  encode(): Buffer {
    assert(this.#length <= bytesMax, 'a head has room for its places')
    return this.#bytes.subarray(0, this.#length)
  }

  get #placesAt(): number {
    return writerAt + this.#bytes.readUInt16BE(writerLengthAt)
  }

  get #length(): number {
    return this.#placesAt + (this.highestSequenceNr % blockEvents) * numberBytes
  }
}
