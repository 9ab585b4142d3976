/** Says what became of messages that cannot go on. */
import {
  DeadLetter,
  type DeadLetterReason,
  Dropped,
  type DroppedReason,
  type Runtime,
} from '../../actor/index.ts'
import type { CannotSerialize } from '../../serialization/index.ts'
import type { RemoteRecipient } from '../ref/remote-ref.ts'

export class LostLetters {
  readonly #runtime: Runtime

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  dead(recipient: RemoteRecipient, message: unknown, reason: DeadLetterReason): void {
    this.#runtime.lost(new DeadLetter(message, recipient, reason))
  }

  dropped(recipient: RemoteRecipient, message: unknown, reason: DroppedReason): void {
    this.#runtime.lost(new Dropped(message, recipient, reason))
  }

  /** The sender has made a mistake that shows only when the receiver is on another node, so it is said aloud. */
  refused(recipient: RemoteRecipient, message: unknown, error: CannotSerialize): void {
    const to = recipient.toString()
    this.#runtime.logger.error(
      { err: error, recipient: to },
      `A message cannot travel: ${error.message}`,
    )
    this.dropped(recipient, message, 'cannot-serialize')
  }
}
