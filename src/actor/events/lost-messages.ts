/**
 * The three ways in which a message ends without being handled, as events of the event stream. Every drop anywhere in
 * the runtime is one of them, with a reason that a program can read.
 */
import { isInstance } from '../../foundation/is-instance.ts'
import { show } from '../../foundation/show.ts'
import type { ActorRef } from '../ref/actor-ref.ts'

/** There was nobody to receive it. */
export class DeadLetter {
  readonly type = 'DeadLetter'
  readonly message: unknown
  readonly recipient: ActorRef<never>
  readonly reason: DeadLetterReason

  constructor(message: unknown, recipient: ActorRef<never>, reason: DeadLetterReason) {
    this.message = message
    this.recipient = recipient
    this.reason = reason
  }

  toString(): string {
    return `DeadLetter(${show(this.message)} to ${this.recipient}: ${this.reason})`
  }
}

/** Why there was nobody to receive a message. */
export type DeadLetterReason =
  /** The actor had terminated when the message was sent. */
  | 'terminated'
  /** The actor terminated while the message waited in its mailbox. */
  | 'terminated-while-queued'
  /** The actor terminated while the message waited in its stash. */
  | 'terminated-while-stashed'
  /** The ask had been answered, had timed out or was aborted. */
  | 'late-reply'
  /** No actor of that name lives on the node it came to, or a later one of the same name does. */
  | 'no-such-actor'
  /** It was meant for a node that has since been restarted on the same address. */
  | 'former-incarnation'
  /** No connection to the other node came about in time. */
  | 'unreachable'
  /** The other node refused us, or we refused it: version, cluster name, secret or address differ. */
  | 'connection-rejected'
  /** The other node has been given up for good; only a new incarnation of it is spoken to. */
  | 'quarantined'
  /** This node's remoting has stopped. */
  | 'remoting-stopped'
  /** The region of that entity type has stopped on this node, or stopped before a home was found. */
  | 'region-stopped'
  /** The coordinator of that entity type refuses the region of this node; the log says why. */
  | 'region-refused'
  /** It names no entity, or one that cannot be. */
  | 'no-entity'

/** A limit was reached or a buffer was given up, so it was dropped on purpose. */
export class Dropped {
  readonly type = 'Dropped'
  readonly message: unknown
  readonly recipient: ActorRef<never>
  readonly reason: DroppedReason

  constructor(message: unknown, recipient: ActorRef<never>, reason: DroppedReason) {
    this.message = message
    this.recipient = recipient
    this.reason = reason
  }

  toString(): string {
    return `Dropped(${show(this.message)} to ${this.recipient}: ${this.reason})`
  }
}

/** Why a message was dropped on purpose. */
export type DroppedReason =
  /** As many messages wait for the actor, or the entity, as may. */
  | 'mailbox-full'
  /** The actor was restarting and its restart buffer was full. */
  | 'restart-stash-full'
  /** What held it belonged to a behavior that was restarted, or that an interceptor replaced while it restarted. */
  | 'stash-discarded-by-restart'
  /** The stash was cleared by the actor itself. */
  | 'stash-cleared'
  /** A message adapter or a `pipeToSelf` mapping answered nothing. */
  | 'adapted-to-nothing'
  /** The actor waits for its journal, or keeps commands for later, and it keeps as many as it may. */
  | 'stash-full'
  /** It was handled, but its events were not stored, or nobody can tell: whatever it would have caused is undone. */
  | 'not-stored'
  /** Too much waits for the other node: it, or the network, is slower than its senders. */
  | 'outbound-queue-full'
  /** It holds something that has no meaning outside this process; the log says what and where. */
  | 'cannot-serialize'
  /** It waited for a singleton whose place is not known, and more came after it than may wait. */
  | 'singleton-buffer-full'
  /** Too many messages waited for shards whose home was not known. */
  | 'shard-buffer-full'
  /** Too many messages waited for entities that were stopping. */
  | 'entity-buffer-full'
  /** It came back from a former home so late that later ones had gone ahead. */
  | 'overtaken'
  /** Its entity did not stop in time when its shard moved, and had to be stopped by force. */
  | 'hand-off-timeout'
  /** A call whose caller had given up before its turn came: it was not begun. */
  | 'expired'

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
