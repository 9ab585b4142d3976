/** The other direction of a ValueCodec: checks bytes, unpacks them, gives marks their meaning. */
import { Unpackr } from 'msgpackr'
import { copyFew } from './byte-buffer.ts'
import { ByteCheck } from './byte-check.ts'
import { packOptions } from './pack-options.ts'
import type { RefCodec } from './ref-codec.ts'
import { CannotDeserialize } from './serialization-errors.ts'
import { batchBytesMax, type SerializationSettings } from './serialization-settings.ts'
import { Unmarking } from './unmarking.ts'

const SCRATCH_BYTES_MAX = 64 * 1024

export class ValueDecoder {
  readonly #settings: SerializationSettings
  readonly #keepsRecords: boolean
  readonly #byteCheck: ByteCheck
  readonly #unmarking: Unmarking
  readonly #unpackr: Unpackr
  /**
   * Bytes are copied here first: msgpackr keeps a view for every buffer it sees, and takes a slow way to its strings
   * when the value ends far from the begin of the buffer.
   */
  #scratch: Buffer = Buffer.allocUnsafeSlow(512)
  #isBroken = false

  constructor(settings: SerializationSettings, keepsRecords: boolean, refs: RefCodec | undefined) {
    this.#settings = settings
    this.#keepsRecords = keepsRecords
    this.#byteCheck = new ByteCheck(settings, keepsRecords)
    this.#unmarking = new Unmarking(refs)
    this.#unpackr = new Unpackr(packOptions(keepsRecords))
  }

  /** One value, or an array of as many as there are in the batch. Throws CannotDeserialize. */
  decode(bytes: Buffer, start: number, end: number, batchCount: number | undefined): unknown {
    if (this.#isBroken) throw this.#refused('an earlier value could not be read', start)
    // A value that fails may have taken the definition of a record with it, and later ones would be misread.
    this.#isBroken = this.#keepsRecords
    const isBatch = batchCount !== undefined
    const bytesMax = isBatch ? batchBytesMax(this.#settings) : this.#settings.bytesMax
    if (end - start > bytesMax) throw this.#refused(`it takes more than ${bytesMax} bytes`, start)
    const hasMarks = this.#byteCheck.check(bytes, start, end, batchCount)
    const value = this.#unpack(bytes, start, end)
    this.#isBroken = false
    return hasMarks ? this.#unmark(value, start) : value
  }

  #unpack(bytes: Buffer, start: number, end: number): unknown {
    const count = end - start
    try {
      if (count > SCRATCH_BYTES_MAX) return this.#unpackr.unpack(bytes.subarray(start, end))
      if (count > this.#scratch.length) this.#scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES_MAX)
      if (count > 64) bytes.copy(this.#scratch, 0, start, end)
      else copyFew(bytes, start, end, this.#scratch, 0)
      return this.#unpackr.unpack(this.#scratch, count)
    } catch (error) {
      throw this.#refused('it is not MessagePack', start, error)
    }
  }

  /** The records are understood by now, so a mark without meaning spoils this value only. */
  #unmark(value: unknown, offset: number): unknown {
    try {
      return this.#unmarking.unmarked(value)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : 'a mark without a meaning'
      throw new CannotDeserialize(reason, { offset, cause })
    }
  }

  #refused(reason: string, offset: number, cause?: unknown): CannotDeserialize {
    return new CannotDeserialize(reason, { offset, breaksConnection: this.#keepsRecords, cause })
  }
}
