/** One direction of a ValueCodec: checks a value, packs it, appends the bytes. */
import { Packr, RESET_BUFFER_MODE, REUSE_BUFFER_MODE } from 'msgpackr'
import { type ByteBuffer, copyRange } from './byte-buffer.ts'
import { Marking, tooManyBytes } from './marking.ts'
import { packOptions } from './pack-options.ts'
import { PlainCheck } from './plain-check.ts'
import type { RefCodec } from './ref-codec.ts'
import { CannotSerialize } from './serialization-errors.ts'
import type { SerializationSettings } from './serialization-settings.ts'

/** msgpackr's own buffer is used again by whoever packs next, so what it wrote is copied out at once. */
const PACK_MODE = REUSE_BUFFER_MODE | RESET_BUFFER_MODE

/** What `pack` returns in that mode. */
interface PackedBuffer extends Buffer {
  readonly start: number
  readonly end: number
}

export class ValueEncoder {
  readonly #settings: SerializationSettings
  readonly #keepsRecords: boolean
  readonly #refs: RefCodec | undefined
  readonly #plainCheck: PlainCheck
  #packr: Packr
  #preparedElements = 0

  constructor(settings: SerializationSettings, keepsRecords: boolean, refs: RefCodec | undefined) {
    this.#settings = settings
    this.#keepsRecords = keepsRecords
    this.#refs = refs
    this.#plainCheck = new PlainCheck(settings)
    this.#packr = new Packr(packOptions(keepsRecords))
  }

  /** The value itself when it can go as it stands, or else a copy with marks. Throws CannotSerialize. */
  prepare(value: unknown, name: string): unknown {
    if (this.#isPlain(value)) {
      this.#preparedElements = this.#plainCheck.elements
      return value
    }
    const marking = new Marking(name, this.#settings, this.#refs)
    const marked = marking.marked(value)
    this.#preparedElements = marking.elements
    return marked
  }

  /** How many values the last one counts for. */
  get preparedElements(): number {
    return this.#preparedElements
  }

  /** Appends a prepared value. Throws CannotSerialize, and then has appended nothing. */
  append(target: ByteBuffer, value: unknown, bytesMax: number, name: string): void {
    const packed = this.#packWithin(value, bytesMax, name)
    target.append(packed, packed.start, packed.end)
  }

  /** The bytes of a prepared value, for the caller alone. Throws CannotSerialize. */
  bytesOf(value: unknown, bytesMax: number, name: string): Uint8Array {
    const packed = this.#packWithin(value, bytesMax, name)
    const { start, end } = packed
    const bytes = Buffer.allocUnsafe(end - start)
    copyRange(packed, start, end, bytes, 0)
    return bytes
  }

  /** Always safe: a record that is defined again replaces the earlier one at the other end. */
  forgetRecords(): void {
    this.#packr = new Packr(packOptions(this.#keepsRecords))
  }

  #isPlain(value: unknown): boolean {
    try {
      return this.#plainCheck.isPlain(value)
    } catch {
      // A getter or a proxy threw. It will again, where there is a path to tell.
      return false
    }
  }

  #packWithin(value: unknown, bytesMax: number, name: string): PackedBuffer {
    const packed = this.#pack(value, name)
    if (packed.end - packed.start <= bytesMax) return packed
    this.forgetRecords()
    throw new CannotSerialize(name, tooManyBytes(bytesMax))
  }

  #pack(value: unknown, name: string): PackedBuffer {
    try {
      return this.#packr.pack(value, PACK_MODE) as PackedBuffer
    } catch (error) {
      // It is not what it was when it was checked. What it defined so far will not be sent.
      this.forgetRecords()
      throw new CannotSerialize(name, 'changed while it was encoded', { cause: error })
    }
  }
}
