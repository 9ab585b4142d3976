/**
 * The address of an actor: what others hold, send to, watch and print. It stays valid for ever; after the actor has
 * terminated, messages sent to it become dead letters.
 */
import type { Duration } from '../../foundation/duration.ts'
import type { ActorPath } from './actor-path.ts'
import type { PoisonPill } from '../cell/envelope.ts'
import type { StatusReply } from './status-reply.ts'

/** The address of an actor: tell it, ask it, watch it, send it on. It stays valid when the actor is gone. */
export interface ActorRef<in T> {
  /** Where the actor lives, with the number that tells it from a later actor of the same name. */
  readonly path: ActorPath
  /** Sends a message and returns at once. At most once, in order per sender and receiver. */
  tell(message: T | PoisonPill): void
  /**
   * Sends a message that carries the address for the answer, and resolves with the answer. Rejects with `AskTimeout`,
   * `AskTargetTerminated` or `AskAborted`.
   */
  ask<Reply>(makeMessage: (replyTo: ActorRef<Reply>) => T, options?: AskOptions): Promise<Reply>
  /** As `ask`, for answers that say success or error: resolves with the value, rejects with the error. */
  askWithStatus<Value>(
    makeMessage: (replyTo: ActorRef<StatusReply<Value>>) => T,
    options?: AskOptions,
  ): Promise<Value>
  /** The path with its number: `sherd://shop/user/cart#7`. */
  toString(): string
}

/** How long to wait for an answer. */
export interface AskOptions {
  /** How long to wait for the answer; the setting `askTimeoutMs` (5 s) when not given. */
  readonly timeout?: Duration | undefined
  /** Gives up on the answer when it fires. */
  readonly signal?: AbortSignal | undefined
}

/** Told once when a watched actor has terminated. */
export interface Watcher {
  watchedTerminated(ref: InternalRef, failure: Failure | undefined): void
}

/** Why an actor failed; a box, because a cause may be `undefined`. */
export interface Failure {
  readonly cause: unknown
}

/** What every kind of ref in this process can do beyond its public face. */
export interface InternalRef extends ActorRef<never> {
  readonly isTerminated: boolean
  /** Registers for one call of `watchedTerminated`; at once when there is nothing left to watch. */
  addWatcher(watcher: Watcher): void
  removeWatcher(watcher: Watcher): void
}

/** Whether it has what an address must have: plain JavaScript may hand us anything. */
export function isRef(value: unknown): value is InternalRef {
  return (
    typeof value === 'object' &&
    value !== null &&
    'addWatcher' in value &&
    typeof value.addWatcher === 'function'
  )
}

/** Every `ActorRef` is made by us, so this is the one place where the public face is looked behind. */
export function internal(ref: ActorRef<never>): InternalRef {
  return ref as InternalRef
}
