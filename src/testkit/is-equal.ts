/**
 * Whether two messages are the same: the same class and the same content, all the way down. Actor refs are equal only to
 * themselves: two actors may look alike and are still two.
 */
import { isObject } from '../foundation/is-object.ts'

/** Pairs that are being compared further up: what comes round to itself is equal so far. */
type Enclosing = readonly (readonly [object, object])[]

export function isEqual(a: unknown, b: unknown): boolean {
  return compare(a, b, [])
}

function compare(a: unknown, b: unknown, enclosing: Enclosing): boolean {
  if (Object.is(a, b)) return true
  if (!isObject(a) || !isObject(b)) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b) || isRef(a) || isRef(b)) return false
  if (enclosing.some(([outerA, outerB]) => outerA === a && outerB === b)) return true
  const inside: Enclosing = [...enclosing, [a, b]]
  return isContentEqual(a, b, inside) && areFieldsEqual(a, b, inside)
}

export function isRef(value: object): boolean {
  return 'tell' in value && 'ask' in value && 'path' in value
}

/** What an object of a built-in class holds beside its fields. */
function isContentEqual(a: object, b: object, enclosing: Enclosing): boolean {
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime())
  if (a instanceof RegExp && b instanceof RegExp) return String(a) === String(b)
  if (a instanceof Map && b instanceof Map) return areEntriesEqual([...a], [...b], enclosing)
  if (a instanceof Set && b instanceof Set) return areEntriesEqual([...a], [...b], enclosing)
  if (a instanceof Error && b instanceof Error) {
    return a.name === b.name && a.message === b.message && compare(a.cause, b.cause, enclosing)
  }
  if (a instanceof ArrayBuffer && b instanceof ArrayBuffer)
    return areBytesEqual(bytesOf(a), bytesOf(b))
  return true
}

/** In any order, as maps and sets are compared. */
function areEntriesEqual(
  a: readonly unknown[],
  b: readonly unknown[],
  enclosing: Enclosing,
): boolean {
  if (a.length !== b.length) return false
  const left = [...b]
  return a.every((entry) => {
    const index = left.findIndex((other) => compare(entry, other, enclosing))
    if (index >= 0) left.splice(index, 1)
    return index >= 0
  })
}

function bytesOf(buffer: ArrayBuffer): Uint8Array {
  return new Uint8Array(buffer)
}

function areBytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** Elements of arrays and bytes of buffers are fields too. */
function areFieldsEqual(a: object, b: object, enclosing: Enclosing): boolean {
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) return areViewsEqual(a, b)
  const isArray = Array.isArray(a) && Array.isArray(b)
  if (isArray && a.length !== b.length) return false
  const keys = fieldsOf(a)
  return (
    keys.length === fieldsOf(b).length &&
    keys.every(
      (key) =>
        Object.hasOwn(b, key) && compare(Reflect.get(a, key), Reflect.get(b, key), enclosing),
    )
  )
}

function areViewsEqual(a: ArrayBufferView, b: ArrayBufferView): boolean {
  return areBytesEqual(
    new Uint8Array(a.buffer, a.byteOffset, a.byteLength),
    new Uint8Array(b.buffer, b.byteOffset, b.byteLength),
  )
}

function fieldsOf(value: object): (string | symbol)[] {
  return Reflect.ownKeys(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  )
}
