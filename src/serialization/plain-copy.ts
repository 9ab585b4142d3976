/**
 * Copies plain data by hand, a few times faster than through bytes, into what would come back from them: a hole becomes
 * undefined, what stands in two places becomes two, and binary data has its own bytes and no others. It looks at each part
 * once, while it copies it; whatever it does not know at once is left to the way through bytes, which says what is wrong.
 */
import { types } from 'node:util'
import { isWellFormed } from '../foundation/text.ts'
import { BYTE_ORDER_MARK, isPacked, isRecordKey, RECORD_KEYS_MAX } from './data-types.ts'
import type { SerializationSettings } from './serialization-settings.ts'

/** What a part takes at most beside its text: a number, or a length, with the head of its key. */
const partBytesMax = 16

/** Keys that were found fit, of all values: as a rule they are the same again and again. */
const knownKeysMax = 1_024
const knownKeyLengthMax = 64

/** In place of a copy. */
export const notPlain = Symbol('not plain')

export class PlainCopy {
  readonly #settings: SerializationSettings
  readonly #copyBinary: (value: object) => unknown
  readonly #knownKeys = new Set<string>()
  #isPlain = true
  #elementsLeft = 0
  #bytesLeft = 0

  /** `copyBinary` copies buffers and views. */
  constructor(settings: SerializationSettings, copyBinary: (value: object) => unknown) {
    this.#settings = settings
    this.#copyBinary = copyBinary
  }

  /**
   * `notPlain` for what is not plain through and through, or is not surely within all limits: each part is counted as if it
   * needed the most bytes. May throw what a getter of the value throws.
   */
  of(value: unknown): unknown {
    this.#isPlain = true
    this.#elementsLeft = this.#settings.elementsMax
    this.#bytesLeft = this.#settings.bytesMax
    const copy = this.#copy(value, this.#settings.depthMax)
    return this.#isPlain && this.#bytesLeft >= 0 ? copy : notPlain
  }

  #copy(value: unknown, depthLeft: number): unknown {
    if (this.#elementsLeft-- === 0) return this.#refuse()
    this.#bytesLeft -= partBytesMax
    switch (typeof value) {
      case 'number':
      case 'boolean':
      case 'undefined':
        return value
      case 'string':
        this.#bytesLeft -= 3 * value.length
        if (!isWellFormed(value) || value.charCodeAt(0) === BYTE_ORDER_MARK) return this.#refuse()
        return value
      case 'bigint':
        if (BigInt.asIntN(64, value) !== value) this.#bytesLeft -= value.toString(16).length
        return value
      case 'object':
        if (value === null) return null
        return depthLeft > 0 ? this.#object(value, depthLeft - 1) : this.#refuse()
      default:
        return this.#refuse()
    }
  }

  #object(value: object, depthLeft: number): unknown {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype === Object.prototype) {
      return this.#record(value as Record<string, unknown>, depthLeft)
    }
    if (prototype === Array.prototype) return this.#array(value as unknown[], depthLeft)
    if (prototype === Map.prototype && types.isMap(value)) return this.#map(value, depthLeft)
    if (prototype === Set.prototype && types.isSet(value)) return this.#set(value, depthLeft)
    if (!isPacked(value)) return this.#refuse()
    // The class of a date stays at home, as it does on the wire.
    if (types.isDate(value)) return structuredClone(value)
    this.#bytesLeft -= (value as ArrayBuffer).byteLength
    if (this.#bytesLeft < 0) return this.#refuse()
    // Not by a structured clone: that of a small buffer would have the whole memory it was cut from, with others' bytes.
    return this.#copyBinary(value)
  }

  #record(record: Readonly<Record<string, unknown>>, depthLeft: number): unknown {
    const copy: Record<string, unknown> = {}
    let count = 0
    for (const key in record) {
      if (!this.#isKey(key) || ++count > RECORD_KEYS_MAX) return this.#refuse()
      this.#bytesLeft -= 3 * key.length
      copy[key] = this.#copy(record[key], depthLeft)
      if (!this.#isPlain) return undefined
    }
    return copy
  }

  #isKey(key: string): boolean {
    if (this.#knownKeys.has(key)) return true
    if (!isRecordKey(key)) return false
    if (key.length <= knownKeyLengthMax && this.#knownKeys.size < knownKeysMax) {
      this.#knownKeys.add(key)
    }
    return true
  }

  #array(values: readonly unknown[], depthLeft: number): unknown {
    const { length } = values
    if (length > this.#elementsLeft) return this.#refuse()
    const copy: unknown[] = []
    for (let index = 0; index < length; index++) {
      copy.push(this.#copy(values[index], depthLeft))
      if (!this.#isPlain) return undefined
    }
    return copy
  }

  #map(map: ReadonlyMap<unknown, unknown>, depthLeft: number): unknown {
    const copy = new Map<unknown, unknown>()
    for (const [key, value] of map) {
      copy.set(this.#copy(key, depthLeft), this.#copy(value, depthLeft))
      if (!this.#isPlain) return undefined
    }
    return copy
  }

  #set(set: ReadonlySet<unknown>, depthLeft: number): unknown {
    const copy = new Set<unknown>()
    for (const value of set) {
      copy.add(this.#copy(value, depthLeft))
      if (!this.#isPlain) return undefined
    }
    return copy
  }

  #refuse(): undefined {
    this.#isPlain = false
    return undefined
  }
}
