/** Settings that no part of the runtime can work with: every problem at once, in words for the person who set them. */
import { CodedError } from './coded-error.ts'
import { show } from './show.ts'

/** Settings or options that cannot be used; `problems` has all of them. */
export class InvalidSettings extends CodedError {
  readonly code = 'INVALID_SETTINGS'
  readonly problems: readonly string[]

  constructor(what: string, problems: readonly string[]) {
    super(`${what} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** A name that nobody knows is mostly a slip of the pen, and what was meant would keep its default. */
export function unknownSettings(given: object, known: object, kind = 'a setting'): string[] {
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => `${name} is not ${kind}; known are ${Object.keys(known).join(', ')}`)
}

/** Of something that may be left out, or is a text with something in it. */
export function problemsWithText(name: string, given: unknown): string[] {
  const isText = given === undefined || (typeof given === 'string' && given !== '')
  return isText ? [] : [`${name} must be a text, not ${show(given)}`]
}

/** Of something that may be left out, or is an object. */
export function problemsWithObject(name: string, given: unknown): string[] {
  const isObject = given === undefined || (typeof given === 'object' && given !== null)
  return isObject ? [] : [`${name} must be an object, not ${show(given)}`]
}

/** Of something that may be left out, or is an `AbortSignal`, by what it can do: it may come from another realm. */
export function problemsWithSignal(name: string, given: unknown): string[] {
  if (given === undefined || isSignal(given)) return []
  return [
    `${name} must be an AbortSignal (the signal of an AbortController, say), not ${show(given)}`,
  ]
}

function isSignal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { aborted, addEventListener, removeEventListener } = value as Partial<AbortSignal>
  const canTell = [addEventListener, removeEventListener].every(
    (each) => typeof each === 'function',
  )
  return typeof aborted === 'boolean' && canTell
}
