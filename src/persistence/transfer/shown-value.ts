/**
 * Stored bytes as JSON for people and programs that look into a store. What JSON has no form for gets one of its own, an
 * object with one key: `$date`, `$bigint`, `$bytes`, `$number`, `$undefined`, `$map`, `$set`, `$error`.
 */
import { isObject } from '../../foundation/is-object.ts'
import { escapeControls } from '../../foundation/text.ts'
import { codecOfStore } from '../../serialization/internals.ts'
import { CannotDeserialize } from '../../serialization/index.ts'

/** A value, or its bytes and why they are shown instead. */
export type Shown =
  | { readonly value: unknown }
  | { readonly base64: string; readonly problem: string }

export function shown(bytes: Uint8Array): Shown {
  try {
    return { value: plain(codecOfStore().decode(bytes)) }
  } catch (error) {
    if (!(error instanceof CannotDeserialize)) throw error
    return { base64: base64Of(bytes), problem: error.message }
  }
}

/** On one line, with nothing in it that a terminal would obey; `JSON.parse` gives back the same. */
export function lineOf(record: object): string {
  return escapeControls(JSON.stringify(record))
}

function base64Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Decoded values have no cycles, and are no deeper than the codec allows. */
function plain(value: unknown): unknown {
  if (value === undefined) return { $undefined: true }
  if (typeof value === 'bigint') return { $bigint: `${value}` }
  if (typeof value === 'number' && !isJsonNumber(value)) {
    return { $number: Object.is(value, -0) ? '-0' : `${value}` }
  }
  if (!isObject(value)) return value
  if (Array.isArray(value)) return value.map(plain)
  return plainObject(value)
}

function isJsonNumber(value: number): boolean {
  return Number.isFinite(value) && !Object.is(value, -0)
}

function plainObject(value: object): unknown {
  if (value instanceof Date) {
    return { $date: Number.isNaN(value.getTime()) ? 'invalid' : value.toISOString() }
  }
  if (value instanceof Map) return { $map: [...value].map((entry) => entry.map(plain)) }
  if (value instanceof Set) return { $set: [...value].map(plain) }
  if (value instanceof ArrayBuffer) return { $bytes: base64Of(new Uint8Array(value)) }
  if (ArrayBuffer.isView(value)) {
    return { $bytes: base64Of(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) }
  }
  if (value instanceof Error) return { $error: `${value.name}: ${value.message}` }
  const fields = Object.entries(value).map(([name, field]) => [name, plain(field)])
  return Object.fromEntries(fields) as unknown
}
