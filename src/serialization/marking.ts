/**
 * The slow look at a value that cannot go as it stands: copies it, with marks for what MessagePack has no word for, or
 * refuses it and says where. One object per value. What is refused here has not touched the connection yet.
 */
import { types } from 'node:util'
import { isWellFormed } from '../foundation/text.ts'
import { show } from '../foundation/show.ts'
import {
  isForbiddenKey,
  isPacked,
  isPlainObject,
  isRecordKey,
  RECORD_KEYS_MAX,
} from './data-types.ts'
import { ERROR_ELEMENTS, mark, MARKED_TEXT_BEGIN, markKinds } from './marks.ts'
import type { RefCodec } from './ref-codec.ts'
import { whyNotObject } from './refusals.ts'
import { CannotSerialize } from './serialization-errors.ts'
import type { SerializationSettings } from './serialization-settings.ts'
import { pathOf, type Step } from './value-path.ts'

export class Marking {
  readonly #name: string
  readonly #settings: SerializationSettings
  readonly #refs: RefCodec | undefined
  /** How the current value is reached. */
  readonly #steps: Step[] = []
  /** The objects around the current value, with the number of steps to each. */
  readonly #enclosing = new Map<object, number>()
  #elementCount = 0
  #byteCount = 0

  constructor(name: string, settings: SerializationSettings, refs: RefCodec | undefined) {
    this.#name = name
    this.#settings = settings
    this.#refs = refs
  }

  /** Something that packs to the same value. Throws CannotSerialize, whatever the value does. */
  marked(value: unknown): unknown {
    try {
      return this.#copy(value)
    } catch (error) {
      if (error instanceof CannotSerialize) throw error
      // A getter or a proxy may throw anything.
      const path = pathOf(this.#name, this.#steps)
      throw new CannotSerialize(path, `cannot be read: ${show(error)}`, { cause: error })
    }
  }

  /** How many values there were in the one that was marked, itself counted. */
  get elements(): number {
    return this.#elementCount
  }

  #copy(value: unknown): unknown {
    if (++this.#elementCount > this.#settings.elementsMax) {
      const limit = this.#settings.elementsMax
      throw new CannotSerialize(this.#name, `has more than ${limit} values; send it in parts`)
    }
    switch (typeof value) {
      case 'string':
        return this.#text(value)
      case 'number':
        return Object.is(value, -0) ? mark(markKinds.negativeZero) : value
      case 'function':
      case 'symbol':
        throw this.#refused(`is a ${typeof value} and cannot travel; send data only`)
      case 'object':
        return value === null ? null : this.#object(value)
      default:
        return value
    }
  }

  #copyAt(step: Step, value: unknown): unknown {
    this.#steps.push(step)
    const copy = this.#copy(value)
    this.#steps.pop()
    return copy
  }

  #text(text: string): unknown {
    this.#count(text.length)
    if (!isWellFormed(text))
      throw this.#refused('has half a surrogate pair; it would change on the way')
    return text.startsWith('\ufeff') ? mark(markKinds.text, [MARKED_TEXT_BEGIN + text]) : text
  }

  #object(value: object): unknown {
    const earlier = this.#enclosing.get(value)
    if (earlier !== undefined) {
      const place = pathOf(this.#name, this.#steps.slice(0, earlier))
      throw this.#refused(`refers back to ${place}; a cycle cannot travel`)
    }
    if (this.#enclosing.size >= this.#settings.depthMax) {
      throw this.#refused(`is more than ${this.#settings.depthMax} levels deep; send it flatter`)
    }
    this.#enclosing.set(value, this.#steps.length)
    const copy = this.#parts(value)
    this.#enclosing.delete(value)
    return copy
  }

  #parts(value: object): unknown {
    if (Object.getPrototypeOf(value) === Object.prototype) return this.#record(value)
    if (isPacked(value)) return this.#leaf(value)
    if (Array.isArray(value) && isBaseClass(value)) return this.#array(value)
    if (types.isMap(value) && isBaseClass(value)) return this.#map(value)
    if (types.isSet(value) && isBaseClass(value)) return this.#set(value)
    if (this.#refs?.isRef(value)) return mark(markKinds.ref, [this.#text(this.#refs.toText(value))])
    if (types.isNativeError(value)) return this.#error(value)
    if (isPlainObject(value)) return this.#record(value)
    throw this.#refused(whyNotObject(value))
  }

  #leaf(value: object): object {
    if (ArrayBuffer.isView(value) || types.isArrayBuffer(value)) this.#count(value.byteLength)
    return value
  }

  #array(values: readonly unknown[]): unknown[] {
    const { length } = values
    if (length > this.#settings.elementsMax) {
      throw this.#refused(`has ${length} elements; send it in parts`)
    }
    const copy: unknown[] = []
    for (let index = 0; index < length; index++) copy.push(this.#copyAt(index, values[index]))
    return copy
  }

  #map(map: ReadonlyMap<unknown, unknown>): Map<unknown, unknown> {
    const copy = new Map<unknown, unknown>()
    for (const [key, value] of map) {
      const copiedKey = this.#copyAt({ member: 'key', of: copy.size }, key)
      copy.set(copiedKey, this.#copyAt({ member: 'value', of: key }, value))
    }
    return copy
  }

  #set(set: ReadonlySet<unknown>): Set<unknown> {
    const copy = new Set<unknown>()
    for (const value of set) copy.add(this.#copyAt({ member: 'element', of: copy.size }, value))
    return copy
  }

  /** The stack stays at home: it names files of this machine and helps nobody elsewhere. So do other properties. */
  #error(error: Error & { readonly code?: unknown }): unknown[] {
    this.#elementCount += ERROR_ELEMENTS
    const { name, message, code, cause } = error
    const hasCode = typeof code === 'string' || typeof code === 'number'
    return mark(markKinds.error, [
      this.#copyAt('name', String(name)),
      this.#copyAt('message', String(message)),
      hasCode ? this.#copyAt('code', code) : undefined,
      types.isNativeError(cause) ? this.#copyAt('cause', cause) : undefined,
    ])
  }

  #record(record: object): unknown {
    const copy: Record<string, unknown> = {}
    let count = 0
    let isRecord = true
    for (const key of Object.keys(record)) {
      this.#steps.push(key)
      if (!isRecordKey(key)) {
        this.#refuseKey(key)
        isRecord = false
      }
      copy[key] = this.#copy((record as Record<string, unknown>)[key])
      this.#steps.pop()
      count++
    }
    return isRecord && count <= RECORD_KEYS_MAX ? copy : this.#dictionary(copy)
  }

  #refuseKey(key: string): void {
    if (!isWellFormed(key)) throw this.#refused('has half a surrogate pair in its name')
    if (!isForbiddenKey(key)) return
    throw this.#refused(`cannot travel: no property may be named ${key}; use a Map`)
  }

  #dictionary(record: Readonly<Record<string, unknown>>): unknown[] {
    const parts = Object.entries(record).flatMap(([key, value]) => [this.#text(key), value])
    return mark(markKinds.dictionary, parts)
  }

  #count(bytes: number): void {
    this.#byteCount += bytes
    if (this.#byteCount <= this.#settings.bytesMax) return
    throw new CannotSerialize(this.#name, tooManyBytes(this.#settings.bytesMax))
  }

  #refused(reason: string): CannotSerialize {
    return new CannotSerialize(pathOf(this.#name, this.#steps), reason)
  }
}

export function tooManyBytes(limit: number): string {
  return `takes more than ${limit} bytes; send it in parts, or raise bytesMax (for large recipients largeMessageBytesMax) on every node`
}

/** A subclass of array, map or set would lose its class. Another realm's array is fine: it is copied. */
function isBaseClass(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype !== null && isPlainObject(prototype)
}
