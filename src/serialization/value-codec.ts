/**
 * Values to bytes and back. For a link, the codec remembers which kinds of objects (records) both ends have seen, at
 * most 64, so that their keys travel once: use one codec per connection, decode every value in the order of encoding,
 * and take a new codec for a new connection. A stored value explains itself.
 */
import { assert } from '../foundation/assert.ts'
import type { ByteBuffer } from './byte-buffer.ts'
import { notPlain, PlainCopy } from './plain-copy.ts'
import type { RefCodec } from './ref-codec.ts'
import {
  batchBytesMax,
  BYTES_MAX_MAX,
  defaultSerializationSettings,
  type SerializationSettings,
} from './serialization-settings.ts'
import { allowsSmallValues, SmallValues } from './small-values.ts'
import { ValueDecoder } from './value-decoder.ts'
import { ValueEncoder } from './value-encoder.ts'

export interface ValueCodecOptions {
  /** `link`: remembers records, for one connection. `stored`: each value for itself, for disk and for handshakes. */
  readonly use: 'link' | 'stored'
  readonly settings?: SerializationSettings
  /** Without it, refs are refused as any class instance is. */
  readonly refs?: RefCodec
}

declare const isPrepared: unique symbol

/** A value that was found fit to travel. */
export interface Prepared {
  readonly [isPrepared]: true
}

export class ValueCodec {
  readonly #settings: SerializationSettings
  readonly #encoder: ValueEncoder
  readonly #decoder: ValueDecoder
  readonly #plainCopy: PlainCopy
  /** Not for a link, whose records the other end remembers. */
  readonly #smallValues: SmallValues | undefined

  constructor({ use, settings = defaultSerializationSettings, refs }: ValueCodecOptions) {
    const keepsRecords = use === 'link'
    this.#settings = settings
    this.#encoder = new ValueEncoder(settings, keepsRecords, refs)
    this.#decoder = new ValueDecoder(settings, keepsRecords, refs)
    this.#plainCopy = new PlainCopy(settings, (value) => this.#throughBytes(value, 'bytes'))
    this.#smallValues =
      use === 'stored' && allowsSmallValues(settings) ? new SmallValues() : undefined
  }

  /**
   * Checks a value while its sender is there to get the CannotSerialize; it can be encoded later, in a batch. `name` is
   * what the error calls it. A value that can go as it stands is not copied: it must not change until it is encoded.
   */
  prepare(value: unknown, name = 'message'): Prepared {
    return this.#encoder.prepare(value, name) as Prepared
  }

  /** Bytes of the caller's own. Throws CannotSerialize. */
  encode(value: unknown, name = 'message'): Uint8Array {
    const small = this.#smallValues?.encode(value)
    if (small !== undefined) return small
    const prepared = this.#encoder.prepare(value, name)
    return this.#encoder.bytesOf(prepared, this.#settings.bytesMax, name)
  }

  /**
   * What arrives at the other end, which shares nothing with the value. Throws CannotSerialize. Only a codec for stored
   * values copies: on a link, every encoded value must be sent.
   */
  copy(value: unknown, name = 'message'): unknown {
    const copy = this.#plainCopy.of(value)
    return copy === notPlain ? this.#throughBytes(value, name) : copy
  }

  /** Appends one value to the buffer of a link. Throws CannotSerialize, and then has appended nothing. */
  encodeInto(target: ByteBuffer, value: unknown, name = 'message'): void {
    const prepared = this.#encoder.prepare(value, name)
    this.#encoder.append(target, prepared, this.#settings.bytesMax, name)
  }

  /** How many values the one that was prepared last counts for, everything in it counted. */
  get preparedElements(): number {
    return this.#encoder.preparedElements
  }

  /**
   * Appends several values at once, cheaper than one after the other; `decodeBatch` reads them. No more are added to
   * those that together count for `BATCH_ELEMENTS`: the other end would not read them.
   */
  encodeBatchInto(target: ByteBuffer, values: readonly Prepared[]): void {
    this.#encoder.append(target, values, batchBytesMax(this.#settings), 'batch')
  }

  /** The value shares nothing with the bytes. Throws CannotDeserialize; see its `breaksConnection`. */
  decode(bytes: Uint8Array, start = 0, end = bytes.length): unknown {
    return this.#decoder.decode(asBuffer(bytes), start, end, undefined)
  }

  /** Exactly `count` values; another number is refused before anything is made of the bytes. */
  decodeBatch(bytes: Uint8Array, count: number, start = 0, end = bytes.length): unknown[] {
    const values = this.#decoder.decode(asBuffer(bytes), start, end, count)
    assert(Array.isArray(values), 'what was found to be a batch is an array')
    return values
  }

  /** Call when bytes that were encoded will never be sent: from now on records are defined anew. */
  forgetRecords(): void {
    this.#encoder.forgetRecords()
  }

  #throughBytes(value: unknown, name: string): unknown {
    return this.decode(this.encode(value, name))
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** For what entities store. How large that may be, the store says (`eventBytesMax`, `stateBytesMax`): what is sent has other limits. */
export function codecOfStore(): ValueCodec {
  const unlimited = { bytesMax: BYTES_MAX_MAX, elementsMax: BYTES_MAX_MAX }
  return new ValueCodec({
    use: 'stored',
    settings: { ...defaultSerializationSettings, ...unlimited },
  })
}
