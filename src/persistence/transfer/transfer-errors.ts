/** What keeps a store from being copied. Each says what stands in the way, and what to do. */
import { CodedError } from '../../foundation/coded-error.ts'

/** Something in the target is not what the source has. Nothing of it was changed. */
export class CopyRefused extends CodedError {
  readonly code = 'COPY_REFUSED'
  /** Whose data it is, or the name of a register. */
  readonly id: string

  constructor(subject: string, problem: string, id: string) {
    super(
      `The copy stops at ${subject}: ${problem}. Nothing that was there was changed. Copy into a store that nobody else has written to.`,
    )
    this.id = id
  }
}

/** Without being asked to go on, a copy begins in an empty store. */
export class TargetNotEmpty extends CodedError {
  readonly code = 'TARGET_NOT_EMPTY'

  constructor(found: string) {
    super(
      `The store to copy to is not empty: it has ${found}. If an earlier copy from the same store has begun it, go on with --resume, which passes over what is there and equal; otherwise copy into an empty one.`,
    )
  }
}

export class SameStore extends CodedError {
  readonly code = 'SAME_STORE'

  constructor() {
    super('Both addresses lead to the same store. Name another one to copy to.')
  }
}
