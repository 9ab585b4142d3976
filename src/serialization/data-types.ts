/** Which values are data, and which of them MessagePack and msgpackr carry as they are. */
import { types } from 'node:util'
import { isWellFormed } from '../foundation/text.ts'

/** Larger objects are dictionaries rather than records: their keys would never be seen again. */
export const RECORD_KEYS_MAX = 64

/** What all typed arrays have in common; it has no name in the language. */
const TypedArray = Object.getPrototypeOf(Uint8Array) as new () => object

/** A text that begins with it may lose it on the way, depending on how msgpackr reads texts on that machine. */
export const BYTE_ORDER_MARK = 0xfeff

/**
 * Names that reach the prototype of an object, for whoever copies a value carelessly later. No value that travels has
 * them, so that no careless copy can do harm.
 */
export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

/** By length alone, to spare most keys from becoming a string only to be compared. */
export function canBeForbidden(length: number): boolean {
  return length === '__proto__'.length || length === 'constructor'.length
}

/** Whether an object with this key can be a record. msgpackr uses one name for itself and would mistake ours for it. */
export function isRecordKey(key: string): boolean {
  return (
    !isForbiddenKey(key) &&
    key !== '__keys__' &&
    isWellFormed(key) &&
    key.charCodeAt(0) !== BYTE_ORDER_MARK
  )
}

/**
 * Dates and binary data: leaves that msgpackr writes and reads back as copies. It goes by `instanceof` and by the name
 * of the constructor, so what is of another realm or of a subclass would arrive as something else.
 */
export function isPacked(value: object): boolean {
  if (value instanceof Date) return types.isDate(value)
  if (value instanceof ArrayBuffer) return types.isArrayBuffer(value)
  if (value instanceof DataView) return types.isDataView(value)
  if (!(value instanceof TypedArray) || !types.isTypedArray(value)) return false
  return Buffer.isBuffer(value) || value.constructor.name === value[Symbol.toStringTag]
}

/** An object literal, of this realm or another, or an object without prototype. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
