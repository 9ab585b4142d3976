/** Checks of values from outside: what a peer sent is taken only when it has the shape that was agreed on. */
import { isRecord } from './is-object.ts'

/** Whether a value has the shape. Never throws, and looks only at own properties. */
export type Shape = (value: unknown) => boolean

export const isText: Shape = (value) => typeof value === 'string'

export const isFlag: Shape = (value) => typeof value === 'boolean'

/** Any finite number. */
export const isNumber: Shape = (value) => Number.isFinite(value)

/** 0, 1, 2 and so on. */
export const isCount: Shape = (value) => Number.isSafeInteger(value) && (value as number) >= 0

export const isAnything: Shape = (value) => value !== undefined

export function oneOf(...texts: readonly string[]): Shape {
  return (value) => texts.includes(value as string)
}

export function maybe(shape: Shape): Shape {
  return (value) => value === undefined || shape(value)
}

export function listOf(shape: Shape, lengthMax = Infinity): Shape {
  return (value) => Array.isArray(value) && value.length <= lengthMax && value.every(shape)
}

/** A list of just these, in this order. */
export function tupleOf(...shapes: readonly Shape[]): Shape {
  return (value) =>
    Array.isArray(value) &&
    value.length === shapes.length &&
    shapes.every((shape, index) => shape(value[index]))
}

/** A plain object with any keys. */
export function tableOf(shape: Shape, sizeMax = Infinity): Shape {
  return (value) => {
    if (!isRecord(value)) return false
    const values = Object.values(value)
    return values.length <= sizeMax && values.every(shape)
  }
}

/** An object with at least these fields of its own; others are allowed, so that newer peers may add some. */
export function recordOf(fields: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(fields)
  return (value) =>
    isRecord(value) &&
    entries.every(([name, shape]) => shape(Object.hasOwn(value, name) ? value[name] : undefined))
}
