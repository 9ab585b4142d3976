/**
 * The three ways in which a message ends without being handled, as events of the event stream. Every drop anywhere in
 * the runtime is one of them, with a reason that a program can read. Whoever drops declares its reasons itself; here are
 * those of actors.
 */
import { isInstance } from '../../foundation/is-instance.ts'
import { show } from '../../foundation/show.ts'
import type { ActorRef } from '../ref/actor-ref.ts'

/** A reason that another part of the runtime declares. */
type OtherReason = string & NonNullable<unknown>

/** There was nobody to receive it. */
export class DeadLetter {
  readonly type = 'DeadLetter'
  readonly message: unknown
  readonly recipient: ActorRef<never>
  readonly reason: ActorDeadLetterReason | OtherReason

  constructor(message: unknown, recipient: ActorRef<never>, reason: DeadLetter['reason']) {
    this.message = message
    this.recipient = recipient
    this.reason = reason
  }

  toString(): string {
    return `DeadLetter(${show(this.message)} to ${this.recipient}: ${this.reason})`
  }
}

/** Why there was nobody to receive a message, as far as actors know. */
export type ActorDeadLetterReason =
  /** The actor had terminated when the message was sent. */
  | 'terminated'
  /** The actor terminated while the message waited in its mailbox. */
  | 'terminated-while-queued'
  /** The actor terminated while the message waited in its stash. */
  | 'terminated-while-stashed'
  /** The ask had been answered, had timed out or was aborted. */
  | 'late-reply'

/** A limit was reached or a buffer was given up, so it was dropped on purpose. */
export class Dropped {
  readonly type = 'Dropped'
  readonly message: unknown
  readonly recipient: ActorRef<never>
  readonly reason: ActorDroppedReason | OtherReason

  constructor(message: unknown, recipient: ActorRef<never>, reason: Dropped['reason']) {
    this.message = message
    this.recipient = recipient
    this.reason = reason
  }

  toString(): string {
    return `Dropped(${show(this.message)} to ${this.recipient}: ${this.reason})`
  }
}

/** Why actors drop a message on purpose. */
export type ActorDroppedReason =
  /** As many messages wait for the actor as may. */
  | 'mailbox-full'
  /** The actor was restarting and its restart buffer was full. */
  | 'restart-stash-full'
  /** What held it belonged to a behavior that was restarted, or that an interceptor replaced while it restarted. */
  | 'stash-discarded-by-restart'
  /** The stash was cleared by the actor itself. */
  | 'stash-cleared'
  /** A message adapter or a `pipeToSelf` mapping answered nothing. */
  | 'adapted-to-nothing'

/** The actor's behavior had no use for it. */
export class UnhandledMessage {
  readonly type = 'UnhandledMessage'
  readonly message: unknown
  readonly recipient: ActorRef<never>

  constructor(message: unknown, recipient: ActorRef<never>) {
    this.message = message
    this.recipient = recipient
  }

  toString(): string {
    return `UnhandledMessage(${show(this.message)} to ${this.recipient})`
  }
}

/** A message that was not handled, whatever the reason. */
export type LostMessage = DeadLetter | Dropped | UnhandledMessage

export function isLostMessage(value: unknown): value is LostMessage {
  return (
    isInstance(value, DeadLetter) ||
    isInstance(value, Dropped) ||
    isInstance(value, UnhandledMessage)
  )
}

/** A message with this property set to true is counted and published when lost, but not logged. */
export const suppressDeadLetterLog: unique symbol = Symbol('suppressDeadLetterLog')

/**
 * For rooms of the runtime: marks a message that is sent again until it is answered, or that the next one replaces. Its loss
 * costs nothing, so it is not worth a line for the operator. The mark stays on this node.
 */
export function withoutDeadLetterLog<Message extends object>(message: Message): Message {
  return Object.defineProperty(message, suppressDeadLetterLog, { value: true })
}

/** A message with this property set to true does not push back the receive timeout of its receiver. */
export const notInfluenceReceiveTimeout: unique symbol = Symbol('notInfluenceReceiveTimeout')
