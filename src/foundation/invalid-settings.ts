/** Settings and options that cannot be used: every problem at once, in words for the person who wrote them. */
import { CodedError } from './coded-error.ts'
import { isObject } from './is-object.ts'
import { show } from './show.ts'
import { type NamePlaces, unknownSettings } from './unknown-names.ts'

/** Settings or options that cannot be used; `problems` has all of them. */
export class InvalidSettings extends CodedError {
  readonly code = 'INVALID_SETTINGS'
  readonly problems: readonly string[]

  constructor(what: string, problems: readonly string[]) {
    super(`${what} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** Finds what is wrong with a value that was given under this name; empty when all is well. */
export type Check = (name: string, given: unknown) => string[]

/** Of a value that is required. `range` goes on after "must be". */
export function mustBe(range: string, isInRange: (given: unknown) => boolean): Check {
  return (name, given) => (isInRange(given) ? [] : [`${name} must be ${range}, not ${show(given)}`])
}

/** Of a value that may be left out. */
export function maybe(check: Check): Check {
  return (name, given) => (given === undefined ? [] : check(name, given))
}

export const anything: Check = () => []

export const mustBeFunction = mustBe('a function', (given) => typeof given === 'function')

/** Of a text that may be left out. */
export const problemsWithText = maybe(
  mustBe('a text', (given) => typeof given === 'string' && given !== ''),
)

/** Of something with these functions that may be left out. */
export function mustHave(functions: readonly string[]): Check {
  return maybe((name, given) => {
    // Some loggers are functions with levels.
    if (!isObject(given) && typeof given !== 'function') {
      return [`${name} must be an object with ${inWords(functions)}, not ${show(given)}`]
    }
    const fields = given as Readonly<Record<string, unknown>>
    const missing = functions.filter((each) => typeof fields[each] !== 'function')
    return missing.length === 0 ? [] : [`${name} lacks ${inWords(missing)}`]
  })
}

/** Of an `AbortSignal` that may be left out, by what it can do: it may come from another realm. */
export const problemsWithSignal = maybe(
  mustBe('an AbortSignal (the signal of an AbortController, say)', isSignal),
)

/** Of a set of options: every value, and every name that nobody knows; `places` says where others belong. */
export function problemsWithOptions(
  given: object,
  checks: Readonly<Record<string, Check>>,
  places?: NamePlaces,
): string[] {
  const values = given as Readonly<Record<string, unknown>>
  return [
    ...Object.entries(checks).flatMap(([name, check]) => check(name, values[name])),
    ...unknownSettings(given, checks, 'an option', '', places),
  ]
}

function inWords(functions: readonly string[]): string {
  return `the function${functions.length === 1 ? '' : 's'} ${functions.join(', ')}`
}

function isSignal(value: unknown): boolean {
  if (!isObject(value)) return false
  const { aborted, addEventListener, removeEventListener } = value
  const canTell = [addEventListener, removeEventListener].every(
    (each) => typeof each === 'function',
  )
  return typeof aborted === 'boolean' && canTell
}
