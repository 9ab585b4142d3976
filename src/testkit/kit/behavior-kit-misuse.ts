/** A `BehaviorKit` was asked for what it cannot do. */
import { CodedError } from '../../foundation/coded-error.ts'

/** The kit was asked for what cannot be; the text says what to do instead. */
export class BehaviorKitMisuse extends CodedError {
  readonly code = 'BEHAVIOR_KIT_MISUSE'
}
