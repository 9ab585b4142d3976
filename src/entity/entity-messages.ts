/** What travels between a caller and an entity. Plain data; its shapes on the wire are in `entity-wire.ts`. */
import type { ActorRef } from '../actor/index.ts'

/** Caller -> entity: do this and answer. */
export interface EntityCall {
  readonly version: 1
  readonly command: string
  readonly args: readonly unknown[]
  readonly replyTo: ActorRef<EntityReply>
  /** How long its caller still waited when it left the caller's node. Never a time of day: clocks differ. */
  readonly remainingMs?: number
}

export type EntityReply =
  | Answered
  | Refused
  | CommandUnknown
  | ResultRefused
  | NotDone
  | NotHandled
  | CutOff

/** Entity -> caller: done, and what it depends on is stored. */
export interface Answered {
  readonly type: 'Answered'
  readonly version: 1
  readonly value: unknown
}

/** Entity -> caller: the command threw. Nothing of it was stored. */
export interface Refused {
  readonly type: 'Refused'
  readonly version: 1
  readonly error: Error
  /** Where: the stack is in its log, if anywhere. */
  readonly node: string
  readonly mayHaveHappened: boolean
}

/** Entity -> caller: there is no such command on this node. */
export interface CommandUnknown {
  readonly type: 'CommandUnknown'
  readonly version: 1
  readonly known: readonly string[]
}

/** Entity -> caller: the command gave something that cannot travel. Nothing of it was stored. */
export interface ResultRefused {
  readonly type: 'ResultRefused'
  readonly version: 1
  readonly path: string
  readonly problem: string
  readonly mayHaveHappened: boolean
}

/** Entity -> caller: its journal let it down. */
export interface NotDone {
  readonly type: 'NotDone'
  readonly version: 1
  readonly code: string
  readonly problem: string
  readonly mayHaveHappened: boolean
}

/** Runtime -> caller: the call was lost before its turn came. Nothing of it has happened. */
export interface NotHandled {
  readonly type: 'NotHandled'
  readonly version: 1
  /** Of the dead letter: `terminated-while-queued`. */
  readonly reason: string
  /** With `mailbox-full`: how many messages waited for the entity. */
  readonly waiting?: number
}

/** Runtime -> caller: the entity had to stop before its async command had settled, and answers no more. */
export interface CutOff {
  readonly type: 'CutOff'
  readonly version: 1
}
