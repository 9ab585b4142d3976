/**
 * States are frozen: a handler that changes one in place fails at once, instead of showing to others what was refused or
 * never stored. Plain objects and lists are frozen, also inside of each other; what is frozen already is not looked into,
 * so that a state that shares most of its parts with the one before it costs little.
 */

/** Parts looked at per state, at most: a state of many new parts must not cost more than its event. */
const partsMax = 100

/**
 * Objects and lists with more entries are left alone: the engine copies large frozen ones several times more slowly. They
 * were small once, and a handler that changes them in place has failed then.
 */
const entriesMax = 32

/** Those of one node. */
export class FrozenStates {
  /** Objects found to be larger: they are counted once, however many states they are part of. */
  readonly #large = new WeakSet<object>()

  /** Gives back the very same state. */
  freeze(state: unknown): unknown {
    if (this.#mayBeFrozen(state)) this.#freezePart(state, { left: partsMax })
    return state
  }

  #freezePart(part: object, budget: { left: number }): void {
    if (Array.isArray(part)) {
      if (part.length > entriesMax) return
      Object.freeze(part)
      for (const inner of part) if (!this.#freezeInner(inner, budget)) return
      return
    }
    const names = Object.keys(part)
    if (names.length > entriesMax) {
      this.#large.add(part)
      return
    }
    Object.freeze(part)
    for (const name of names) {
      if (!this.#freezeInner((part as Record<string, unknown>)[name], budget)) return
    }
  }

  /** False when enough was looked at. */
  #freezeInner(inner: unknown, budget: { left: number }): boolean {
    if (--budget.left < 0) return false
    if (this.#mayBeFrozen(inner)) this.#freezePart(inner, budget)
    return true
  }

  /** Nothing but plain data: a class may have its own ideas, and bytes cannot be frozen. */
  #mayBeFrozen(value: unknown): value is object {
    if (typeof value !== 'object' || value === null) return false
    // One bit; `isFrozen` would look at every property.
    if (!Object.isExtensible(value)) return false
    if (Array.isArray(value)) return true
    const prototype: unknown = Object.getPrototypeOf(value)
    return (prototype === Object.prototype || prototype === null) && !this.#large.has(value)
  }
}

/** What the engine says, in strict code, when something frozen is changed. */
export function isFrozenComplaint(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    /read only property|not extensible|Cannot delete property|Cannot redefine property|Cannot set property state of #<Transaction>/.test(
      error.message,
    )
  )
}
