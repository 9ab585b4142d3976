/** Turns the marks in a decoded value into what they stand for, in place. Only values in which there are marks come here. */
import { withoutStack } from '../foundation/without-stack.ts'
import { isForbiddenKey } from './data-types.ts'
import { isMark, MARKED_TEXT_BEGIN, markKinds } from './marks.ts'
import type { RefCodec } from './ref-codec.ts'

/** In place of a stack, which stays where it was made: what travels may show nothing of the files of a machine. */
export const placeOfStack = 'at another place: stacks do not travel'

export class Unmarking {
  readonly #refs: RefCodec | undefined

  constructor(refs: RefCodec | undefined) {
    this.#refs = refs
  }

  /** Throws for a mark without a meaning; the bytes have been checked, so it recurses no deeper than allowed. */
  unmarked(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return this.#array(value)
    if (value instanceof Map) return this.#map(value)
    if (value instanceof Set) return this.#set(value)
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === Object.prototype ? this.#record(value as Record<string, unknown>) : value
  }

  #array(values: unknown[]): unknown {
    if (isMark(values)) return this.#meaning(values)
    for (let index = 0; index < values.length; index++) values[index] = this.unmarked(values[index])
    return values
  }

  #map(map: Map<unknown, unknown>): Map<unknown, unknown> {
    const entries = [...map]
    map.clear()
    for (const [key, value] of entries) map.set(this.unmarked(key), this.unmarked(value))
    return map
  }

  #set(set: Set<unknown>): Set<unknown> {
    const values = [...set]
    set.clear()
    for (const value of values) set.add(this.unmarked(value))
    return set
  }

  #record(record: Record<string, unknown>): Record<string, unknown> {
    for (const key of Object.keys(record)) record[key] = this.unmarked(record[key])
    return record
  }

  #meaning([, kind, ...parts]: readonly unknown[]): unknown {
    switch (kind) {
      case markKinds.negativeZero:
        return -0
      case markKinds.ref:
        return this.#ref(parts[0])
      case markKinds.error:
        return this.#error(parts)
      case markKinds.dictionary:
        return this.#dictionary(parts)
      case markKinds.text:
        return shieldedText(textOf(parts[0]))
      default:
        throw new TypeError('a mark of an unknown kind')
    }
  }

  #ref(text: unknown): unknown {
    if (this.#refs === undefined) throw new TypeError('a ref, where none can be')
    return this.#refs.fromText(textOf(text))
  }

  /** A plain Error whatever its name: classes do not travel, and none is chosen by what came from outside. */
  #error(parts: readonly unknown[]): Error {
    const [name, message, code, cause] = parts.map((part) => this.unmarked(part))
    const options = cause instanceof Error ? { cause } : undefined
    // Its stack is replaced anyway, and a message may hold very many errors.
    const error = withoutStack(() => new Error(textOf(message), options))
    Object.defineProperty(error, 'name', { value: textOf(name), ...changeable })
    error.stack = `${textOf(name)}: ${textOf(message)}\n    ${placeOfStack}`
    if (typeof code === 'string' || typeof code === 'number') {
      Object.defineProperty(error, 'code', { value: code, enumerable: true, ...changeable })
    }
    return error
  }

  #dictionary(parts: readonly unknown[]): Record<string, unknown> {
    const dictionary: Record<string, unknown> = {}
    for (let index = 0; index < parts.length; index += 2) {
      const key = textOf(this.unmarked(parts[index]))
      if (isForbiddenKey(key)) throw new TypeError('a property that could reach a prototype')
      dictionary[key] = this.unmarked(parts[index + 1])
    }
    return dictionary
  }
}

const changeable = { writable: true, configurable: true } as const

function textOf(part: unknown): string {
  if (typeof part !== 'string') throw new TypeError('a mark without its text')
  return part
}

function shieldedText(text: string): string {
  if (!text.startsWith(MARKED_TEXT_BEGIN)) throw new TypeError('a mark with an invalid text')
  return text.slice(MARKED_TEXT_BEGIN.length)
}
