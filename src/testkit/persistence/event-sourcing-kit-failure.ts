/** What a kit for event-sourced behaviors throws: a plain error of which every test runner can show the two sides. */
import { CodedError } from '../../foundation/coded-error.ts'
import { show } from '../../foundation/show.ts'
import { describeDifference } from '../difference.ts'

/** Something of the behavior does not survive being stored, or did not come. The text says what. */
export class EventSourcingKitFailure extends CodedError {
  readonly code = 'EVENT_SOURCING_KIT_FAILURE'
  /** For the diff of a test runner. */
  readonly expected: unknown
  /** For the diff of a test runner. */
  readonly actual: unknown

  /** @internal */
  constructor(message: string, parts: { expected?: unknown; actual?: unknown; cause?: unknown }) {
    const { expected, actual, cause } = parts
    const isCompared = 'actual' in parts
    const sides = [
      message,
      `  before: ${show(expected, 500)}`,
      `  after:  ${show(actual, 500)}`,
      describeDifference(expected, actual),
    ].filter((line) => line !== '')
    super(isCompared ? sides.join('\n') : message, cause === undefined ? undefined : { cause })
    this.expected = expected
    this.actual = actual
  }
}
