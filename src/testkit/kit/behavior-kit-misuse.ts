/** A `BehaviorKit` was asked for what it cannot do. */
import { CodedError } from '../../foundation/coded-error.ts'

export class BehaviorKitMisuse extends CodedError {
  readonly code = 'BEHAVIOR_KIT_MISUSE'
}
