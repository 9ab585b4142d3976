/**
 * Where two messages that are not equal begin to differ: a sentence for failures whose values are too long, or too deep,
 * to be shown whole.
 */
import { isEqual, isRef } from './is-equal.ts'
import { shownValue } from './listed.ts'

/** Of a long text, what is shown before the first character that differs. */
const textBefore = 10

interface Difference {
  readonly place: string
  readonly expected: string
  readonly received: string
}

/** Empty when the values, as they are shown, tell it themselves. */
export function describeDifference(expected: unknown, received: unknown): string {
  const isShown = uncut(shownValue(expected)) !== uncut(shownValue(received))
  const difference = isShown ? undefined : find(expected, received)
  if (difference === undefined) return ''
  const { place, expected: wanted, received: came } = difference
  return `They differ at ${place}: ${wanted} was expected, ${came} came.`
}

/** Without the mark of where a text was cut. */
function uncut(text: string): string {
  return text.replace(/…$/, '')
}

/** Goes down where the two differ, until there is no further down. */
function find(expected: unknown, received: unknown): Difference | undefined {
  let [a, b, place] = [expected, received, '']
  const passed = new Set<unknown>()
  for (;;) {
    if (typeof a === 'string' && typeof b === 'string') return inText(a, b, place)
    if (hasFields(a)) passed.add(a)
    const key = keyOfDifference(a, b, passed)
    if (key === undefined) break
    place += step(key, Array.isArray(a), place === '')
    a = fieldOf(a, key)
    b = fieldOf(b, key)
  }
  return place === '' ? undefined : { place, expected: shownField(a), received: shownField(b) }
}

const missing = Symbol('missing')

function fieldOf(value: unknown, key: string): unknown {
  return Object.hasOwn(value as object, key) ? Reflect.get(value as object, key) : missing
}

function shownField(value: unknown): string {
  return value === missing ? 'nothing' : shownValue(value)
}

/** The first field that differs, or that only one of them has; undefined when fields do not make the difference. */
function keyOfDifference(a: unknown, b: unknown, passed: ReadonlySet<unknown>): string | undefined {
  if (!hasFields(a) || !hasFields(b)) return undefined
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].find((key) => {
    const inside = fieldOf(a, key)
    return !passed.has(inside) && !isEqual(inside, fieldOf(b, key))
  })
}

function hasFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isRef(value)
}

function step(key: string, isIndex: boolean, isFirst: boolean): string {
  if (isIndex) return `[${key}]`
  return isFirst ? key : `.${key}`
}

function inText(a: string, b: string, place: string): Difference {
  let index = 0
  while (index < a.length && a[index] === b[index]) index++
  const start = Math.max(0, index - textBefore)
  const before = place === '' ? '' : `${place}, `
  return {
    place: `${before}character ${index}`,
    expected: shownValue(a.slice(start)),
    received: shownValue(b.slice(start)),
  }
}
