/**
 * The quick look at a value before it is packed: can it go as it stands? Almost every message can, so this path is
 * short, allocates nothing and keeps no path. Whatever it does not know at once is left to `Marking`, which either
 * rewrites the value or says what is wrong with it and where.
 */
import { types } from 'node:util'
import { isWellFormed } from '../foundation/text.ts'
import { BYTE_ORDER_MARK, isPacked, isRecordKey, RECORD_KEYS_MAX } from './data-types.ts'
import type { SerializationSettings } from './serialization-settings.ts'

export class PlainCheck {
  readonly #settings: SerializationSettings
  #elementsLeft = 0
  #bytesLeft = 0

  constructor(settings: SerializationSettings) {
    this.#settings = settings
  }

  /** May throw what a getter of the value throws. */
  isPlain(value: unknown): boolean {
    this.#elementsLeft = this.#settings.elementsMax
    this.#bytesLeft = this.#settings.bytesMax
    return this.#isPlain(value, this.#settings.depthMax) && this.#bytesLeft >= 0
  }

  /** How many values there were in the last one that is plain, itself counted. */
  get elements(): number {
    return this.#settings.elementsMax - this.#elementsLeft
  }

  #isPlain(value: unknown, depthLeft: number): boolean {
    if (this.#elementsLeft-- === 0) return false
    switch (typeof value) {
      case 'string':
        this.#bytesLeft -= value.length
        return isWellFormed(value) && value.charCodeAt(0) !== BYTE_ORDER_MARK
      case 'number':
        return value !== 0 || 1 / value > 0
      case 'boolean':
      case 'undefined':
      case 'bigint':
        return true
      case 'object':
        return value === null || (depthLeft > 0 && this.#isPlainObject(value, depthLeft - 1))
      default:
        return false
    }
  }

  #isPlainObject(value: object, depthLeft: number): boolean {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype === Object.prototype) return this.#isRecord(value, depthLeft)
    if (prototype === Array.prototype) return this.#isArray(value as unknown[], depthLeft)
    if (prototype === Map.prototype && types.isMap(value)) return this.#isMap(value, depthLeft)
    if (prototype === Set.prototype && types.isSet(value)) return this.#isSet(value, depthLeft)
    if (ArrayBuffer.isView(value) || types.isArrayBuffer(value)) this.#bytesLeft -= value.byteLength
    return isPacked(value)
  }

  #isRecord(record: object, depthLeft: number): boolean {
    let count = 0
    for (const key in record) {
      if (!isRecordKey(key)) return false
      if (!this.#isPlain((record as Record<string, unknown>)[key], depthLeft)) return false
      count++
    }
    return count <= RECORD_KEYS_MAX
  }

  #isArray(values: readonly unknown[], depthLeft: number): boolean {
    const { length } = values
    if (length > this.#elementsLeft) return false
    for (let index = 0; index < length; index++) {
      if (!this.#isPlain(values[index], depthLeft)) return false
    }
    return true
  }

  #isMap(map: ReadonlyMap<unknown, unknown>, depthLeft: number): boolean {
    for (const [key, value] of map) {
      if (!this.#isPlain(key, depthLeft) || !this.#isPlain(value, depthLeft)) return false
    }
    return true
  }

  #isSet(set: ReadonlySet<unknown>, depthLeft: number): boolean {
    for (const value of set) if (!this.#isPlain(value, depthLeft)) return false
    return true
  }
}
