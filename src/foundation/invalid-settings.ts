/** Settings that no part of the runtime can work with: every problem at once, in words for the person who set them. */
import { CodedError } from './coded-error.ts'

export class InvalidSettings extends CodedError {
  readonly code = 'INVALID_SETTINGS'
  readonly problems: readonly string[]

  constructor(what: string, problems: readonly string[]) {
    super(`${what} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** A name that nobody knows is mostly a slip of the pen, and what was meant would keep its default. */
export function unknownSettings(given: object, known: object): string[] {
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => `${name} is not a setting; known are ${Object.keys(known).join(', ')}`)
}
