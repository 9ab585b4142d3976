/** Hands what one peer sent to whom it is for on this node. */
import { AssertionFailed } from '../../foundation/assert.ts'
import { Dropped, MailboxFull, PoisonPill } from '../../actor/index.ts'
import { isRef, type Runtime } from '../../actor/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { LocalRecipients } from '../ref/local-recipients.ts'
import type { RemoteQuestion } from '../ref/remote-ref.ts'
import type { Delivery, Recipient } from '../wire/message-reader.ts'

/** Makes addresses for answers to the peer. */
interface QuestionMaker {
  questionOf(node: NodeId, askNumber: number, arrivedMs: number): RemoteQuestion
}

export class InboundDelivery implements Delivery {
  readonly #peer: NodeId
  readonly #questions: QuestionMaker
  readonly #recipients: LocalRecipients
  readonly #runtime: Runtime
  /** When the questions of this frame arrived; -1 before the first of them. */
  #arrivedMs = -1

  constructor(
    peer: NodeId,
    questions: QuestionMaker,
    recipients: LocalRecipients,
    runtime: Runtime,
  ) {
    this.#peer = peer
    this.#questions = questions
    this.#recipients = recipients
    this.#runtime = runtime
  }

  frameBegins(): void {
    this.#arrivedMs = -1
  }

  recipientAt(path: string): Recipient {
    return this.#recipients.recipientAt(path, this.#peer)
  }

  answer(askNumber: number, reply: unknown): void {
    this.#recipients.answer(askNumber, reply)
  }

  replyTo(askNumber: number): unknown {
    // The clock is read once for all of them.
    if (this.#arrivedMs < 0) this.#arrivedMs = this.#runtime.environment.clock.monotonicMs()
    return this.#questions.questionOf(this.#peer, askNumber, this.#arrivedMs)
  }

  stop(recipient: Recipient): void {
    recipient.tell(PoisonPill)
  }

  failed(recipient: Recipient, message: unknown, error: unknown): void {
    if (error instanceof AssertionFailed) return this.#runtime.brokenInvariant(error)
    if (error instanceof MailboxFull && isRef(recipient)) {
      return this.#runtime.lost(new Dropped(message, recipient, 'mailbox-full'))
    }
    this.#runtime.logger.error({ err: error, peer: this.#peer }, 'a message could not be delivered')
  }
}
