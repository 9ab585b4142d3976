/**
 * What an actor may do: its own view of itself and of the runtime. Valid only during the actor's turn, which for an
 * async handler lasts until its promise settles; outside of it every call but `self`, `path`, `system`, `log` and
 * `signal` throws `ContextOutsideTurn`.
 */
import type { Duration } from '../../foundation/duration.ts'
import type { Logger } from '../../foundation/logger.ts'
import type { ActorPath } from '../ref/actor-path.ts'
import type { ActorRef, AskOptions } from '../ref/actor-ref.ts'
import type { ActorSystem } from '../actor-system.ts'
import type { TimerScheduler } from './actor-timers.ts'
import type { Behavior, MessageHandler } from '../behavior/behavior.ts'
import type { Gate } from '../cell/gate.ts'
import type { MailboxOptions } from '../cell/mailbox.ts'
import type { MessageMatch } from './message-adapters.ts'
import type { StashBuffer } from './stash-buffer.ts'
import type { StatusReply } from '../ref/status-reply.ts'

/** What an actor may do, handed to its behavior: spawn, watch, timers, stash, asks. Valid only during its turn. */
export interface ActorContext<in out T> {
  readonly self: ActorRef<T>
  readonly path: ActorPath
  readonly system: ActorSystem
  /** The system's logger with the actor's path on every line. */
  readonly log: Logger
  /** Fires when this actor stops or restarts: hand it to whatever an async handler waits for. */
  readonly signal: AbortSignal
  /** Keyed timers of this actor; all are cancelled when it restarts or stops. */
  readonly timers: TimerScheduler<T>
  readonly children: readonly ActorRef<never>[]

  /** Starts a child. Without a name it gets one that begins with `$`. */
  spawn<U>(behavior: Behavior<U> | MessageHandler<U>, options?: string | SpawnOptions): ActorRef<U>
  child(name: string): ActorRef<never> | undefined
  /** Stops this actor after the current message or, given one of its children, that child. */
  stop(...child: [child?: ActorRef<never>]): void

  /** Asks for one `Terminated` (or `ChildFailed`) signal once that actor is gone. Twice is once. */
  watch(ref: ActorRef<never>): void
  /** Asks for this message instead of the signal. */
  watchWith(ref: ActorRef<never>, message: T): void
  /** Takes the request back, also when the news is already in the mailbox. */
  unwatch(ref: ActorRef<never>): void

  /** Sends `message` to this actor whenever nothing has arrived for that long. */
  setReceiveTimeout(timeout: Duration, message: T): void
  cancelReceiveTimeout(): void
  /** A buffer that keeps at most `messagesMax` messages for later. */
  stash(messagesMax: number): StashBuffer<T>

  /** An address that takes a foreign protocol and translates it for this actor, inside its turn. */
  messageAdapter<U>(translate: (message: U) => T): ActorRef<U>
  /** One translation per match; the same match again replaces it. */
  messageAdapter<U>(match: MessageMatch<U>, translate: (message: U) => T): ActorRef<U>
  /**
   * Sends what the promise comes to to this actor, translated inside its turn. Without `failed`, a rejection fails the
   * actor.
   */
  pipeToSelf<V>(promise: Promise<V>, done: (value: V) => T, failed?: (error: unknown) => T): void
  /** Asks another actor; the answer comes back as a message of this one. */
  ask<U, Reply, const M extends U = U>(
    target: Askable<U>,
    makeMessage: (replyTo: ActorRef<Reply>) => M,
    answer: AskAnswer<T, Reply>,
  ): void
  /** As `ask`, for answers that say success or error. */
  askWithStatus<U, Value, const M extends U = U>(
    target: Askable<U>,
    makeMessage: (replyTo: ActorRef<StatusReply<Value>>) => M,
    answer: AskAnswer<T, Value>,
  ): void
}

/** An actor, or what stands for one. */
export interface Askable<in U> {
  tell(message: U): void
  toString(): string
}

/** How the answer to `context.ask` comes back: as the message that `done`, or `failed`, makes of it. */
export interface AskAnswer<T, Reply> extends AskOptions {
  readonly done: (reply: Reply) => T
  /** Without it, a failed ask fails the actor. */
  readonly failed?: (error: unknown) => T
}

/** How a child is started; a text in its place is the name. */
export interface SpawnOptions {
  readonly name?: string
  /** Unbounded when not given. */
  readonly mailbox?: MailboxOptions
  /** @internal For rooms of the runtime: what may hold this actor still. */
  readonly gate?: Gate
}
