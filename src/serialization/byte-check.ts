/**
 * Reads the tags of MessagePack bytes, and nothing else, before msgpackr builds anything from them. One pass without
 * allocation. After it, every length lies within the bytes, depth and number of values are bounded, every text is
 * UTF-8 (msgpackr reads past the end of a cut character), every type is one of ours, every record is known, and no
 * property can reach a prototype.
 */
import { isUtf8 } from 'node:buffer'
import { assert } from '../foundation/assert.ts'
import { canBeForbidden, isForbiddenKey, RECORD_KEYS_MAX } from './data-types.ts'
import { isMarkOf, uncountedParts } from './marks.ts'
import { CannotDeserialize } from './serialization-errors.ts'
import { batchElementsMax, type SerializationSettings } from './serialization-settings.ts'
import {
  elementSize,
  extensions,
  isAscii,
  leafSize,
  lengthSize,
  tags,
  VARIABLE,
} from './wire-tags.ts'

const RECORDS_MAX = 64
const UNKNOWN = 255
const CUT = 'it says that it is longer than it is'

/** A mark may stand where the sender saw a leaf. */
const EXTRA_LEVELS = 1

export class ByteCheck {
  readonly #settings: SerializationSettings
  readonly #keepsRecords: boolean
  /** How many keys each record has, by its number. */
  readonly #keyCounts = new Uint8Array(RECORDS_MAX).fill(UNKNOWN)
  /** Values still to come in each open container, from the outermost. */
  readonly #open: Uint32Array
  #bytes: Buffer = Buffer.alloc(0)
  #position = 0
  #end = 0
  #remaining = 0
  /** Of what the container that was just begun holds. */
  #uncounted = 0
  #hasMarks = false

  constructor(settings: SerializationSettings, keepsRecords: boolean) {
    this.#settings = settings
    this.#keepsRecords = keepsRecords
    this.#open = new Uint32Array(settings.depthMax + EXTRA_LEVELS)
  }

  /**
   * Whether there are marks in the value, or in the batch of so many. Throws CannotDeserialize. In a batch the limits
   * hold for each value, and there is one for the elements of all together.
   */
  check(bytes: Buffer, start: number, end: number, batchCount: number | undefined): boolean {
    assert(start >= 0 && end <= bytes.length && start <= end, 'a value lies within its bytes')
    this.#bytes = bytes
    this.#position = start
    this.#end = end
    this.#hasMarks = false
    if (!this.#keepsRecords) this.#keyCounts.fill(UNKNOWN)
    this.#uncounted = 0
    if (batchCount === undefined) {
      this.#pass(1, this.#settings.elementsMax)
    } else {
      this.#beginBatch(batchCount)
      this.#pass(batchCount, batchElementsMax(this.#settings))
    }
    if (this.#position !== end) throw this.#refused('bytes follow the value')
    return this.#hasMarks
  }

  /** The array around the values, with a length that somebody else knows: nothing is built for what it merely says. */
  #beginBatch(count: number): void {
    if (this.#plainArrayLength('it is not a batch') !== count)
      throw this.#refused(`it is not a batch of ${count} values`)
  }

  /** Counts as the sender did: what it accepts is accepted here, and no more. */
  #pass(count: number, allElementsMax: number): void {
    const open = this.#open
    const { elementsMax } = this.#settings
    let allLeft = allElementsMax - count
    let elementsLeft = 0
    let depth = 0
    let remaining = count
    for (;;) {
      const inside = this.#values(remaining)
      remaining = this.#remaining
      if (inside === 0) {
        // The innermost container is complete.
        if (depth === 0) return
        remaining = open[--depth] as number
        continue
      }
      // Another value, itself counted.
      if (depth === 0) elementsLeft = elementsMax - 1
      const counted = inside - this.#uncounted
      this.#uncounted = 0
      elementsLeft -= counted
      allLeft -= counted
      if (inside > this.#end - this.#position) throw this.#refused(CUT)
      if (elementsLeft < 0 || allLeft < 0) throw this.#refused('too many values')
      if (depth === open.length) throw this.#refused('nested too deep')
      open[depth++] = remaining
      remaining = inside
    }
  }

  /**
   * Passes leaves, at most `count`, up to the begin of a container; returns how many values that holds, or 0 when there
   * was none. This is the whole cost of the check, so ordinary leaves touch locals only.
   */
  #values(count: number): number {
    const bytes = this.#bytes
    const end = this.#end
    let position = this.#position
    let remaining = count
    while (remaining > 0) {
      if (position >= end) throw this.#refused(CUT)
      const tag = bytes[position++] as number
      remaining--
      if (tag < 0x40 || tag >= 0xe0) continue
      let inside = 0
      if (tag >= 0xa0 && tag < 0xc0) {
        const textEnd = position + (tag & 0x1f)
        if (textEnd <= end && isAscii(bytes, position, textEnd)) {
          position = textEnd
          continue
        }
        this.#position = position
        this.#text(tag & 0x1f)
      } else {
        this.#position = position
        inside = this.#value(tag)
      }
      position = this.#position
      if (inside > 0) {
        this.#remaining = remaining
        return inside
      }
    }
    this.#position = position
    return 0
  }

  /** Passes one value, or the begin of one; returns how many values it holds. */
  #value(tag: number): number {
    if (tag < 0x80) return this.#record(tag & 0x3f)
    if (tag < 0x90) return 2 * (tag & 0x0f)
    if (tag < 0xa0) return this.#array(tag & 0x0f)
    const size = leafSize(tag)
    return size === VARIABLE ? this.#variable(tag) : this.#skip(size)
  }

  /** From the highest tags down: maps, arrays, texts, then the mixed ones below them. */
  #variable(tag: number): number {
    if (tag >= tags.map16) return 2 * this.#length(tag)
    if (tag >= tags.array16) return this.#array(this.#length(tag))
    if (tag >= tags.str8) return this.#text(this.#length(tag))
    if (tag === tags.fixext1) return this.#fixext1()
    if (tag >= tags.bin8 && tag <= tags.bin32) return this.#skip(this.#length(tag))
    return this.#extension(tag)
  }

  #record(record: number): number {
    const keyCount = this.#keyCounts[record] as number
    if (keyCount === UNKNOWN) throw this.#refused('a record that was never defined')
    return keyCount
  }

  #array(count: number): number {
    if (this.#bytes[this.#position] !== tags.never || this.#position >= this.#end) return count
    this.#position++
    const kind = this.#byte()
    if (!isMarkOf(kind, count - 2)) throw this.#refused('a mark of an unknown kind')
    this.#hasMarks = true
    this.#uncounted = uncountedParts(kind, count - 2)
    return count - 2
  }

  #text(length: number): number {
    const start = this.#position
    this.#skip(length)
    const isShortAscii = length <= 48 && isAscii(this.#bytes, start, this.#position)
    if (isShortAscii || isUtf8(this.#bytes.subarray(start, this.#position))) return 0
    throw this.#refused('text that is not UTF-8')
  }

  /** One byte of data, or none and a value that follows. */
  #fixext1(): number {
    const type = this.#byte()
    if (type === extensions.record) return this.#definition()
    this.#skip(1)
    if (type === extensions.undefined || type === extensions.date) return 0
    if (type !== extensions.set) throw this.#refused('a type that Sherd does not use')
    return this.#plainArrayLength()
  }

  /** `number, [key, key, …]`; the values of the first record of this kind follow. */
  #definition(): number {
    const record = this.#byte()
    if (record >> 6 !== 1) throw this.#refused('a record with an invalid number')
    const count = this.#plainArrayLength()
    if (count > RECORD_KEYS_MAX) throw this.#refused('a record with too many keys')
    for (let index = 0; index < count; index++) this.#key()
    this.#keyCounts[record & 0x3f] = count
    return count
  }

  #key(): void {
    const tag = this.#byte()
    const isShort = tag >= 0xa0 && tag < 0xc0
    if (!isShort && tag !== tags.str8 && tag !== tags.str16)
      throw this.#refused('a key that is not a string')
    const length = isShort ? tag & 0x1f : this.#length(tag)
    const start = this.#position
    this.#text(length)
    if (!canBeForbidden(length)) return
    if (isForbiddenKey(this.#bytes.toString('latin1', start, this.#position))) {
      throw this.#refused('a property that could reach a prototype')
    }
  }

  #plainArrayLength(otherwise = 'a value that is not an array where one must be'): number {
    const tag = this.#byte()
    if (tag >= 0x90 && tag < 0xa0) return tag & 0x0f
    if (tag === tags.array16 || tag === tags.array32) return this.#length(tag)
    throw this.#refused(otherwise)
  }

  #extension(tag: number): number {
    const length = this.#length(tag)
    const type = this.#byte()
    const first = this.#bytes[this.#position] as number
    this.#skip(length)
    if (type === extensions.date && (length === 4 || length === 8 || length === 12)) return 0
    if (type === extensions.bigint && length > 0) return 0
    const step = type === extensions.typedArray && length > 0 ? elementSize(first) : 0
    if (step > 0 && (length - 1) % step === 0) return 0
    throw this.#refused('a type that Sherd does not use')
  }

  #length(tag: number): number {
    const size = lengthSize(tag)
    if (size === 0) throw this.#refused('a type that Sherd does not use')
    if (size < 0) return -size
    const start = this.#position
    this.#skip(size)
    return this.#bytes.readUIntBE(start, size)
  }

  #byte(): number {
    if (this.#position >= this.#end) throw this.#refused(CUT)
    return this.#bytes[this.#position++] as number
  }

  #skip(count: number): 0 {
    if (count > this.#end - this.#position) throw this.#refused(CUT)
    this.#position += count
    return 0
  }

  #refused(reason: string): CannotDeserialize {
    return new CannotDeserialize(reason, {
      offset: this.#position,
      breaksConnection: this.#keepsRecords,
    })
  }
}
