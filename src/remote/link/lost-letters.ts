/**
 * Says what became of messages that cannot go on. None of them was handed to the network, so whoever asked with one need
 * not wait; that is settled first, and who hears of the loss finds it so.
 */
import { DeadLetter, Dropped } from '../../actor/index.ts'
import type { Runtime } from '../../actor/internals.ts'
import { withoutStack } from '../../foundation/without-stack.ts'
import type { CannotSerialize } from '../../serialization/index.ts'
import type { RemoteDeadLetterReason, RemoteDroppedReason } from '../remote-drop-reasons.ts'
import { AskNotSent } from '../remote-errors.ts'
import type { Letter } from './outbound-queue.ts'

export class LostLetters {
  readonly #runtime: Runtime

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  dead({ recipient, message, question }: Letter, reason: RemoteDeadLetterReason): void {
    this.#notSent(question, reason)
    this.#runtime.lost(new DeadLetter(message, recipient, reason))
  }

  dropped({ recipient, message, question }: Letter, reason: RemoteDroppedReason): void {
    this.#notSent(question, reason)
    this.#runtime.lost(new Dropped(message, recipient, reason))
  }

  /** The sender has made a mistake that shows only when the receiver is on another node, so it is said aloud. */
  refused(letter: Letter, error: CannotSerialize): void {
    const to = letter.recipient.toString()
    this.#runtime.logger.error(
      { err: error, recipient: to },
      `A message cannot travel: ${error.message}`,
    )
    letter.question?.fail(error)
    this.dropped(letter, 'cannot-serialize')
  }

  #notSent(
    question: Letter['question'],
    reason: RemoteDeadLetterReason | RemoteDroppedReason,
  ): void {
    if (question === undefined) return
    question.fail(withoutStack(() => new AskNotSent(question.target.toString(), reason)))
  }
}
