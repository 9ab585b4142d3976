/**
 * What the cell sends down through the wrappers to the behavior inside. Supervisors guard it like any message;
 * interceptors let it pass, because they have seen the message it belongs to already.
 */
import { isInstance } from '../../foundation/is-instance.ts'
import type { Wrapper } from './behavior.ts'
import type { Signal } from './signals.ts'

/** An async handler has come to its end; at the innermost behavior this counts as its answer. */
export class Settled {
  /** What the handler was called with: a message, or a signal as `HeldSignal`. */
  readonly cause: unknown
  readonly result: unknown
  readonly isRejected: boolean

  constructor(cause: unknown, result: unknown, isRejected: boolean) {
    this.cause = cause
    this.result = result
    this.isRejected = isRejected
  }
}

/** A signal in the place of a message. */
export class HeldSignal {
  readonly signal: Signal

  constructor(signal: Signal) {
    this.signal = signal
  }
}

/** A message on its way back from a stash or a restart buffer, to the level of wrapping it was taken from. */
export class Replayed {
  readonly message: unknown
  /** The innermost wrapper around the behavior that gets the message; undefined when there was none. */
  readonly scope: Wrapper | undefined

  constructor(message: unknown, scope: Wrapper | undefined) {
    this.message = message
    this.scope = scope
  }
}

/** A supervisor may build its behavior anew: its delay is over and its children are gone. */
export class RestartDue {
  readonly supervisor: Wrapper

  constructor(supervisor: Wrapper) {
    this.supervisor = supervisor
  }
}

/** The user's message in it, if there is one. */
export function messageIn(inward: unknown): unknown {
  if (isInstance(inward, Replayed)) return messageIn(inward.message)
  if (isInstance(inward, Settled)) return messageIn(inward.cause)
  return isInstance(inward, RestartDue) || isInstance(inward, HeldSignal) ? undefined : inward
}

/** The signal in it, if there is one. */
export function signalIn(inward: unknown): Signal | undefined {
  if (inward instanceof Replayed) return signalIn(inward.message)
  return inward instanceof HeldSignal ? inward.signal : undefined
}

export type Inward = Settled | Replayed | RestartDue

export function isInward(message: unknown): message is Inward {
  return message instanceof Settled || message instanceof Replayed || message instanceof RestartDue
}
