/** Whether a value from outside has fields to look at. Functions have some too, and are none of these. */

/** Anything with fields, lists included. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Fields by name: no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value)
}
