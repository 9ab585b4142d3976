/**
 * Arguments and results never share an object with their sender, whether the entity is on this node or on another: a
 * call means the same wherever the entity lives. What cannot travel is refused here, with its path, and so is what would
 * not fit with the little that travels around it: a value that has passed here arrives.
 */
import { types } from 'node:util'
import { show } from '../foundation/show.ts'
import { clip } from '../foundation/text.ts'
import { defaultSerializationSettings, type SerializationSettings } from '../serialization/index.ts'
import { ValueCodec } from '../serialization/internals.ts'

/** What a call and an answer need beside the value: the object they are, their texts, the ref for the answer. */
const envelope = { levels: 1, elements: 16, bytes: 1_024 }

/** Errors told of a chain of causes, the first included; the rest of a longer one stays at home. */
const errorsMax = 8
const messageLengthMax = 65_536
const nameLengthMax = 256

export class Travelling {
  readonly #codec: ValueCodec
  readonly #messageLengthMax: number

  /** The settings of the wire. Refs do not travel in calls: entities are named by their ids. */
  constructor(given: Partial<SerializationSettings> = {}) {
    const settings = { ...defaultSerializationSettings, ...given }
    this.#codec = new ValueCodec({ use: 'stored', settings: insideOf(settings) })
    // A whole chain of texts, of three bytes a character, must fit.
    this.#messageLengthMax = Math.min(messageLengthMax, Math.floor(settings.bytesMax / 128))
  }

  /** What arrives at the other end. Throws CannotSerialize; `name` is what that calls the value. */
  copy<Value>(value: Value, name: string): Value {
    return isSimple(value) ? value : (this.#codec.copy(value, name) as Value)
  }

  /** The same for the arguments of a call, an array of nobody else's. */
  copyArgs(args: unknown[], command: string): unknown[] {
    if (args.length === 0 || (args.length === 1 && isSimple(args[0]))) return args
    return this.#codec.copy(args, `${command}: args`) as unknown[]
  }

  /**
   * As it arrives: with name, message, code and cause, long ones cut. It has the stacks of the original for a caller on
   * this node; what goes to another one loses them on the way. Never throws, whatever was thrown.
   */
  error(thrown: unknown): Error {
    return isError(thrown)
      ? this.#told(thrown, errorsMax)
      : new Error(this.#clipped(typeof thrown === 'string' ? thrown : `threw ${show(thrown)}`))
  }

  #told(error: Error, errorsLeft: number): Error {
    const cause = read(() => error.cause)
    const told = new Error(
      this.#clipped(read(() => error.message) ?? ''),
      isError(cause) && errorsLeft > 1 ? { cause: this.#told(cause, errorsLeft - 1) } : undefined,
    )
    const name = clip(this.#clipped(read(() => error.name) ?? 'Error'), nameLengthMax)
    Object.defineProperty(told, 'name', { value: name, ...changeable })
    const code = read(() => (error as { readonly code?: unknown }).code)
    if (typeof code === 'string' || typeof code === 'number') {
      const value = typeof code === 'string' ? clip(this.#clipped(code), nameLengthMax) : code
      Object.defineProperty(told, 'code', { value, enumerable: true, ...changeable })
    }
    const stack = read(() => error.stack)
    if (typeof stack === 'string') {
      Object.defineProperty(told, 'stack', { value: stack, ...changeable })
    }
    return told
  }

  /** Without half surrogate pairs as well: they would change on the way. */
  #clipped(given: unknown): string {
    const text = typeof given === 'string' ? given : show(given)
    return wellFormed(clip(text, this.#messageLengthMax))
  }
}

const changeable = { writable: true, configurable: true } as const

function insideOf(settings: SerializationSettings): SerializationSettings {
  const { bytesMax, depthMax, elementsMax } = settings
  return {
    // Where little may travel, the envelope is small as well.
    bytesMax: bytesMax - Math.min(envelope.bytes, Math.floor(bytesMax / 2)),
    depthMax: depthMax - envelope.levels,
    elementsMax: Math.max(0, elementsMax - envelope.elements),
  }
}

function isSimple(value: unknown): boolean {
  return (
    typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined
  )
}

function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown)
}

/** A getter of what a user threw may throw in its turn. */
function read(get: () => unknown): unknown {
  try {
    return get()
  } catch {
    return undefined
  }
}

function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
