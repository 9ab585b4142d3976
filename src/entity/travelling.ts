/**
 * Arguments and results never share an object with their sender, whether the entity is on this node or on another: a
 * call means the same wherever the entity lives. What cannot travel is refused here, with its path.
 *
 * Texts, numbers and the like go as they are. Plain objects and arrays are copied by hand, a few times faster than through
 * bytes; everything rarer goes through bytes, as it would on the way to another node.
 */
import type { ValueCodec } from '../serialization/index.ts'

export class Travelling {
  readonly #codec: ValueCodec

  /** The codec is for stored values: entities are named by their ids, so refs do not travel in calls. */
  constructor(codec: ValueCodec) {
    this.#codec = codec
  }

  /** What arrives at the other end. Throws CannotSerialize; `name` is what that calls the value. */
  copy<Value>(value: Value, name: string): Value {
    if (isSimple(value)) return value
    const prepared: unknown = this.#codec.prepare(value, name)
    // The same object means: plain data through and through, within all limits.
    if (prepared === value) return copied(value) as Value
    return this.#codec.decode(this.#codec.encode(value, name)) as Value
  }

  /** The same for the arguments of a call, a list that nobody else holds: it is given back when nothing in it is shared. */
  copyArgs(args: unknown[], name: string): unknown[] {
    const prepared: unknown = this.#codec.prepare(args, name)
    if (prepared !== args) return this.#codec.decode(this.#codec.encode(args, name)) as unknown[]
    for (let index = 0; index < args.length; index++) args[index] = copied(args[index])
    return args
  }

  /**
   * As it arrives: with name, message, code and cause, as far as they can travel. It has the stacks of the original for a
   * caller on this node; what goes to another one loses them on the way.
   */
  error(thrown: unknown): Error {
    const error = thrown instanceof Error ? thrown : new Error(wordsOf(thrown), { cause: thrown })
    const arrived = this.#copyOf(error)
    let [from, to]: [unknown, unknown] = [error, arrived]
    while (from instanceof Error && to instanceof Error) {
      takeStack(to, from)
      ;[from, to] = [from.cause, to.cause]
    }
    return arrived
  }

  #copyOf(error: Error): Error {
    try {
      return this.#codec.decode(this.#codec.encode(error, 'error')) as Error
    } catch {
      // The cause, or what came with it, cannot travel; the error itself can be told.
      const told = new Error(wellFormed(error.message))
      told.name = wellFormed(error.name)
      const code: unknown = 'code' in error ? error.code : undefined
      return typeof code === 'string' || typeof code === 'number'
        ? Object.assign(told, { code })
        : told
    }
  }
}

function isSimple(value: unknown): boolean {
  return (
    typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined
  )
}

/** Of a value that was found to be plain. */
function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copied)
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value)
  const copy: Record<string, unknown> = {}
  for (const key in value) copy[key] = copied((value as Record<string, unknown>)[key])
  return copy
}

function takeStack(to: Error, { stack }: Error): void {
  if (typeof stack !== 'string') return
  Object.defineProperty(to, 'stack', { value: stack, writable: true, configurable: true })
}

function wordsOf(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : `threw ${String(thrown)}`
}

function wellFormed(text: string): string {
  return Buffer.from(String(text), 'utf8').toString('utf8')
}
