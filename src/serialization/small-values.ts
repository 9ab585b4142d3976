/**
 * Writes the most usual stored values straight into bytes: a few objects and lists, of short texts, numbers, booleans and
 * nothing. The bytes are those that msgpackr would write, a few times sooner: the value is looked at once, and the head of a record
 * (its keys) is written as it was written the last time. Whatever is not so small and plain is left to others.
 */
import { isRecordKey } from './data-types.ts'
import type { SerializationSettings } from './serialization-settings.ts'
import { extensions, tags } from './wire-tags.ts'

/** Of a list and of an object: as many as the tag of a short list counts. */
const partsMax = 15
const keyLengthMax = 31
const textLengthMax = 255
const depthMax = 4
/** Everything counted. */
const elementsMax = 64
/** Kinds of objects in one value. */
const recordsMax = 8
/** Kinds of objects, by their keys, whose heads are kept. */
const shapesMax = 16
/** The number that msgpackr gives to the first record of a value. */
const firstRecord = 0x40

/** The length of what has them is in them. */
const shortList = 0x90
const shortText = 0xa0

const headBytesMax = 4 + partsMax * (keyLengthMax + 1)
/** What one element takes at most: a text with its tag, or the head of a record. */
const elementBytesMax = Math.max(textLengthMax + 2, headBytesMax)
const bytesMax = elementBytesMax * elementsMax

interface Shape {
  readonly keys: readonly string[]
  /** Its keys as bytes, with their count. */
  readonly head: Uint8Array
}

/** Whether nothing that is written here can be more than is allowed. */
export function allowsSmallValues(allowed: SerializationSettings): boolean {
  return (
    allowed.bytesMax >= bytesMax &&
    allowed.elementsMax >= elementsMax &&
    allowed.depthMax >= depthMax
  )
}

export class SmallValues {
  readonly #shapes: Shape[] = []
  /** Of the value that is being written, in the order of their numbers. */
  readonly #records: Shape[] = []
  readonly #bytes = Buffer.alloc(bytesMax)
  #position = 0
  #elementsLeft = 0

  /** Bytes of the caller's own; undefined for a value of another kind, which may also be one that cannot be written. */
  encode(value: unknown): Uint8Array | undefined {
    if (typeof value !== 'object' || value === null) return undefined
    this.#position = 0
    this.#elementsLeft = elementsMax
    this.#records.length = 0
    try {
      return this.#isPut(value, depthMax) ? this.#copy() : undefined
    } catch {
      // A getter or a proxy threw. It will again, where it can be told.
      return undefined
    }
  }

  #isPut(value: unknown, depthLeft: number): boolean {
    if (this.#elementsLeft-- === 0) return false
    switch (typeof value) {
      case 'number':
        return this.#isNumberPut(value)
      case 'string':
        return this.#isTextPut(value)
      case 'boolean':
        this.#put(value ? tags.true : tags.false)
        return true
      case 'undefined':
        this.#put(tags.fixext1)
        this.#put(extensions.undefined)
        this.#put(0)
        return true
      case 'object':
        if (value !== null) return depthLeft > 0 && this.#isObjectPut(value, depthLeft - 1)
        this.#put(tags.nil)
        return true
      default:
        return false
    }
  }

  #isObjectPut(value: object, depthLeft: number): boolean {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype === Object.prototype) {
      return this.#isRecordPut(value as Record<string, unknown>, depthLeft)
    }
    return prototype === Array.prototype && this.#isListPut(value as unknown[], depthLeft)
  }

  #isListPut(values: readonly unknown[], depthLeft: number): boolean {
    const { length } = values
    if (!Array.isArray(values) || length > partsMax) return false
    this.#put(shortList | length)
    for (let at = 0; at < length; at++) if (!this.#isPut(values[at], depthLeft)) return false
    return true
  }

  #isRecordPut(record: Readonly<Record<string, unknown>>, depthLeft: number): boolean {
    const shape = this.#shapeOf(record)
    if (shape === undefined || !this.#isShapePut(shape)) return false
    const { keys } = shape
    for (let at = 0; at < keys.length; at++) {
      if (!this.#isPut(record[keys[at]!], depthLeft)) return false
    }
    return true
  }

  /** The number of the record, and at the first time its keys. */
  #isShapePut(shape: Shape): boolean {
    const records = this.#records
    const known = records.indexOf(shape)
    if (known >= 0) {
      this.#put(firstRecord + known)
      return true
    }
    if (records.length === recordsMax) return false
    this.#put(tags.fixext1)
    this.#put(extensions.record)
    this.#put(firstRecord + records.length)
    records.push(shape)
    const { head } = shape
    for (let at = 0; at < head.length; at++) this.#put(head[at]!)
    return true
  }

  #shapeOf(record: object): Shape | undefined {
    for (const shape of this.#shapes) if (hasKeys(record, shape.keys)) return shape
    return this.#shapes.length < shapesMax ? this.#newShape(record) : undefined
  }

  #newShape(record: object): Shape | undefined {
    const keys: string[] = []
    for (const key in record) keys.push(key)
    const isUsual = (key: string): boolean =>
      key.length <= keyLengthMax && isAsciiText(key) && isRecordKey(key)
    if (keys.length > partsMax || !keys.every(isUsual)) return undefined
    const texts = keys.flatMap((key) => [shortText | key.length, ...Buffer.from(key)])
    const shape = { keys, head: Uint8Array.from([shortList | keys.length, ...texts]) }
    this.#shapes.push(shape)
    return shape
  }

  #isNumberPut(value: number): boolean {
    if (value >>> 0 === value) {
      // It would be said to be zero.
      if (value === 0 && 1 / value < 0) return false
      this.#putUnsigned(value)
    } else if (value >> 0 === value) {
      this.#putNegative(value)
    } else {
      this.#put(tags.float64)
      this.#position = this.#bytes.writeDoubleBE(value, this.#position)
    }
    return true
  }

  /** From `firstRecord` on, a byte by itself names a record. */
  #putUnsigned(value: number): void {
    if (value < firstRecord) return this.#put(value)
    if (value < 0x100) this.#put(tags.uint8)
    else if (value < 0x1_0000) this.#put(tags.uint16)
    else this.#put(tags.uint32)
    this.#putLast(value, value < 0x100 ? 1 : value < 0x1_0000 ? 2 : 4)
  }

  #putNegative(value: number): void {
    if (value >= -0x20) return this.#put(0x100 + value)
    if (value >= -0x80) this.#put(tags.int8)
    else if (value >= -0x8000) this.#put(tags.int16)
    else this.#put(tags.int32)
    this.#putLast(value, value >= -0x80 ? 1 : value >= -0x8000 ? 2 : 4)
  }

  /** The last bytes of a number, as many as these. */
  #putLast(value: number, count: number): void {
    for (let shift = (count - 1) * 8; shift >= 0; shift -= 8) this.#put((value >> shift) & 0xff)
  }

  #isTextPut(text: string): boolean {
    const { length } = text
    if (length > textLengthMax) return false
    if (length <= keyLengthMax) {
      this.#put(shortText | length)
    } else {
      this.#put(tags.str8)
      this.#put(length)
    }
    const bytes = this.#bytes
    const start = this.#position
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code >= 0x80) return false
      bytes[start + at] = code
    }
    this.#position = start + length
    return true
  }

  #put(byte: number): void {
    this.#bytes[this.#position++] = byte
  }

  #copy(): Uint8Array {
    const length = this.#position
    const bytes = this.#bytes
    const copy = Buffer.allocUnsafe(length)
    for (let at = 0; at < length; at++) copy[at] = bytes[at]!
    return copy
  }
}

/** All of them, in this order, and no others. */
function hasKeys(record: object, keys: readonly string[]): boolean {
  let count = 0
  for (const key in record) if (key !== keys[count++]) return false
  return count === keys.length
}

function isAsciiText(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false
  return true
}
