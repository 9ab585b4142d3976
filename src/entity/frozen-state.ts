/**
 * States are frozen: a handler that changes one in place fails at once, instead of showing to others what was refused or
 * never stored. Plain objects and lists are frozen, also inside of each other; what is frozen already is not looked into,
 * so that a state that shares most of its parts with the one before it costs little.
 */

/** Parts looked at per state, at most: a state of many new parts must not cost more than its event. */
const partsMax = 100

export function frozen(state: unknown): unknown {
  if (Object.isFrozen(state) || !isPlain(state)) return state
  freeze(state, { left: partsMax })
  return state
}

function freeze(part: object, budget: { left: number }): void {
  Object.freeze(part)
  if (Array.isArray(part)) {
    for (const inner of part) if (!freezeInner(inner, budget)) return
    return
  }
  for (const name in part) {
    if (!freezeInner((part as Record<string, unknown>)[name], budget)) return
  }
}

/** False when enough was looked at. */
function freezeInner(inner: unknown, budget: { left: number }): boolean {
  if (--budget.left < 0) return false
  if (typeof inner !== 'object' || inner === null) return true
  if (!Object.isFrozen(inner) && isPlain(inner)) freeze(inner, budget)
  return true
}

/** Nothing else: a class may have its own ideas, and bytes cannot be frozen. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** What the engine says, in strict code, when something frozen is changed. */
export function isFrozenComplaint(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    /read only property|not extensible|Cannot delete property|Cannot redefine property/.test(
      error.message,
    )
  )
}
