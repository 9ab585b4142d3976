/** What the runtime tells a behavior about lives: its own, its children's and those it watches. */
import type { ActorRef } from '../ref/actor-ref.ts'

/** To the last behavior, after every child has terminated and before watchers are told. */
export class PostStop {
  readonly type = 'PostStop'
}

/** To the failing behavior, before a fresh one is built. */
export class PreRestart {
  readonly type = 'PreRestart'
}

/** A watched actor has terminated, whatever the reason. Not handling it fails the watcher. */
export class Terminated {
  readonly type = 'Terminated'
  readonly ref: ActorRef<never>

  constructor(ref: ActorRef<never>) {
    this.ref = ref
  }
}

/** A watched child has terminated because it failed. Not handling it fails the watcher. */
export class ChildFailed {
  readonly type = 'ChildFailed'
  readonly ref: ActorRef<never>
  readonly cause: unknown

  constructor(ref: ActorRef<never>, cause: unknown) {
    this.ref = ref
    this.cause = cause
  }
}

/** A message adapter or a `pipeToSelf` mapping threw. Not handling it fails the actor with that error. */
export class MessageAdaptionFailure {
  readonly type = 'MessageAdaptionFailure'
  readonly cause: unknown

  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** News about an actor's own life, or the lives it watches; not a message, and handled by `receiveSignal`. */
export type Signal = PostStop | PreRestart | Terminated | ChildFailed | MessageAdaptionFailure

export const postStop = new PostStop()
export const preRestart = new PreRestart()
