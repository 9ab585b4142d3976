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
