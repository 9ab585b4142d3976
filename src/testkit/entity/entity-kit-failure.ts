/** What a kit for entities throws: a plain error of which every test runner can show the two sides. */
import { CodedError } from '../../foundation/coded-error.ts'
import { pointAt, type TestLine } from '../probe-failure.ts'

/** An entity did not do what the test expected of it. The text says what it did. */
export class EntityKitFailure extends CodedError {
  readonly code = 'ENTITY_KIT_FAILURE'
  /** For the diff of a test runner. */
  readonly expected: unknown
  /** For the diff of a test runner. */
  readonly actual: unknown

  /** @internal */
  constructor(message: string, { expected, actual, cause, site }: FailureParts) {
    super(message, cause === undefined ? undefined : { cause })
    this.expected = expected
    this.actual = actual
    if (site !== undefined) pointAt(this, site)
  }
}

export interface FailureParts {
  readonly expected?: unknown
  readonly actual?: unknown
  readonly cause?: unknown
  readonly site?: TestLine | undefined
}

/** The kit was asked for what cannot be; the text says what to do instead. */
export class EntityKitMisuse extends CodedError {
  readonly code = 'ENTITY_KIT_MISUSE'
}

/** An event handler looked at the clock: what it makes would differ at every recovery. */
export class EventHandlerNotPure extends CodedError {
  readonly code = 'EVENT_HANDLER_NOT_PURE'

  /** @internal */
  constructor(entityType: string, event: string, called: string) {
    super(
      `The handler of the event ${event} of ${entityType} called ${called}. It runs again at every recovery, and would then make another state: take the time in the command, by self.now(), and let the event carry it.`,
    )
  }
}
