/**
 * What stands in a mailbox beside the user's messages: things the cell opens itself when their turn comes. They keep
 * their place in the queue, which is why they are not flags.
 */
import type { ActorTimer } from '../context/actor-timers.ts'
import type { Failure, InternalRef } from '../ref/actor-ref.ts'
import type { ReceiveTimeout } from '../context/receive-timeout.ts'

export type EnvelopeContent =
  /** Stop when this is reached. */
  | { readonly type: 'PoisonPill' }
  /** A keyed timer fired; void when the timer was replaced or cancelled since. */
  | { readonly type: 'TimerTick'; readonly timer: ActorTimer }
  /** Nothing arrived for the time asked for; void when anything has changed since. */
  | { readonly type: 'ReceiveTimeout'; readonly timeout: ReceiveTimeout }
  /** Behind every message the terminated actor sent before. */
  | {
      readonly type: 'Terminated'
      readonly ref: InternalRef
      readonly failure: Failure | undefined
    }
  /** A message in a foreign protocol, for a message adapter to translate. */
  | { readonly type: 'Adapted'; readonly message: unknown }
  /** A promise settled with `value`; `map` makes the message, inside the actor. */
  | { readonly type: 'Piped'; readonly value: unknown; readonly map: () => unknown }

export class Envelope {
  readonly content: EnvelopeContent

  constructor(content: EnvelopeContent) {
    this.content = content
  }
}

/**
 * Of anything that was told; also of a proxy, which may throw when it is asked for its class. Not by `isInstance`, which is
 * asked for many classes: in its place on the way of every supervised message it took a third of their speed.
 */
export function isEnvelope(queued: unknown): queued is Envelope {
  try {
    return queued instanceof Envelope
  } catch {
    return false
  }
}

/** Told to an actor, stops it after the messages that were sent before; a restart in progress is not waited for. */
export const PoisonPill: PoisonPill = new Envelope({ type: 'PoisonPill' }) as PoisonPill
export type PoisonPill = Envelope & { readonly content: { readonly type: 'PoisonPill' } }
