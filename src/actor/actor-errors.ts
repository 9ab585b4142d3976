/** What users of actors can do wrong, or meet. Each says what happened, and what to look at. */
import { CodedError } from '../foundation/coded-error.ts'
import { formatMs } from '../foundation/duration.ts'
import { show } from '../foundation/show.ts'

/** A name that no actor can have: empty, too long, not well-formed, or with a `$` in front. */
export class InvalidActorName extends CodedError {
  readonly code = 'INVALID_ACTOR_NAME'
  readonly actorName: unknown

  constructor(actorName: unknown, problem: string) {
    super(`${show(actorName)} cannot be the name of an actor: ${problem}.`)
    this.actorName = actorName
  }
}

/** The parent has a child of that name, which has not terminated yet. */
export class DuplicateActorName extends CodedError {
  readonly code = 'DUPLICATE_ACTOR_NAME'
  readonly actorName: string

  constructor(actorName: string, parent: string) {
    super(
      `${parent} already has a child named "${actorName}". A name is free again once its actor has terminated: watch it, or leave the name out to get a unique one.`,
    )
    this.actorName = actorName
  }
}

/** `undefined` was told to an actor. */
export class InvalidMessage extends CodedError {
  readonly code = 'INVALID_MESSAGE'

  constructor(recipient: string) {
    super(`undefined is not a message; it was told to ${recipient}. Send a value, null included.`)
  }
}

/** Something that is no ref was given where one is needed. */
export class InvalidRef extends CodedError {
  readonly code = 'INVALID_REF'

  constructor(value: unknown, where: string) {
    super(`${where} was given ${show(value)}, which is not the ref of an actor.`)
  }
}

/** Something that is no behavior was given or returned where one is needed. */
export class InvalidBehavior extends CodedError {
  readonly code = 'INVALID_BEHAVIOR'

  constructor(value: unknown, where: string) {
    super(
      `${where} gave ${show(value)}. Give a behavior (Behaviors.receive, same, stopped, …), a message handler, or nothing to stay as it is.`,
    )
  }
}

/** A context was used while its actor had no turn, as in a `.then` that nobody awaits. */
export class ContextOutsideTurn extends CodedError {
  readonly code = 'CONTEXT_OUTSIDE_TURN'

  constructor(operation: string, actor: string) {
    super(
      `context.${operation} of ${actor} was called outside the actor's turn. Make the handler async and await the work in it, or use context.pipeToSelf to come back as a message.`,
    )
  }
}

/** What is left of a handler used the context of its actor, which stops or has stopped. */
export class ActorStopped extends CodedError {
  readonly code = 'ACTOR_STOPPED'

  constructor(operation: string, actor: string) {
    super(
      `context.${operation} of ${actor} was called although the actor is stopping or has stopped. Check context.signal.aborted after each await.`,
    )
  }
}

/** An interceptor waited for something, or went on when its message was done. */
export class AsyncInterceptor extends CodedError {
  readonly code = 'ASYNC_INTERCEPTOR'

  constructor(actor: string, mistake: string) {
    super(
      `An interceptor of ${actor} ${mistake}. Interceptors are synchronous: call next at once, return what it answers, be it a promise, and leave what takes time to the handler.`,
    )
  }
}

/** The reason of a fired `context.signal`. */
export class AbortedByStop extends CodedError {
  readonly code = 'ABORTED_BY_STOP'

  constructor(actor: string) {
    super(`${actor} stops or restarts; what its handler waits for is given up.`)
  }
}

/** `context.stop` was given an actor that is not a child of this one. */
export class NotAChild extends CodedError {
  readonly code = 'NOT_A_CHILD'

  constructor(ref: unknown, actor: string) {
    super(
      `${actor} cannot stop ${show(ref)}: it is not a child of it. Only a parent stops its children; send others a message or PoisonPill.`,
    )
  }
}

/** An actor is watched twice, with different messages. */
export class WatchConflict extends CodedError {
  readonly code = 'WATCH_CONFLICT'

  constructor(ref: string, actor: string) {
    super(
      `${actor} already watches ${ref} with another message. Call context.unwatch first to change what is delivered.`,
    )
  }
}

/** A watched actor terminated and the watcher did not handle the signal. */
export class DeathPact extends CodedError {
  readonly code = 'DEATH_PACT'
  readonly ref: string

  constructor(ref: string, actor: string) {
    super(
      `${actor} watched ${ref}, which has terminated, and did not handle the signal. Handle Terminated and ChildFailed in receiveSignal, or use watchWith.`,
    )
    this.ref = ref
  }
}

/** One message more than the stash holds. */
export class StashFull extends CodedError {
  readonly code = 'STASH_FULL'
  readonly messagesMax: number

  constructor(actor: string, messagesMax: number) {
    super(
      `The stash of ${actor} holds ${messagesMax} messages, all that it may. Stash less, unstash earlier or make it larger.`,
    )
    this.messagesMax = messagesMax
  }
}

/** A stash was used that went with a behavior which was restarted. */
export class StashDiscarded extends CodedError {
  readonly code = 'STASH_DISCARDED'

  constructor(actor: string) {
    super(
      `A stash of ${actor} was used that a restart has discarded. Make the stash inside the supervised behavior and keep no reference to it outside, or make it outside to keep its messages.`,
    )
  }
}

/** Thrown at the sender: as many messages wait as may, and the policy is `fail`. */
export class MailboxFull extends CodedError {
  readonly code = 'MAILBOX_FULL'
  readonly messagesMax: number

  constructor(actor: string, messagesMax: number) {
    super(
      `${messagesMax} messages wait for ${actor}, all that its mailbox may hold, and its overflow policy is 'fail'. Send slower or choose 'drop-new' or 'drop-head'.`,
    )
    this.messagesMax = messagesMax
  }
}

/** No answer came in time. What was asked for may have happened all the same. */
export class AskTimeout extends CodedError {
  readonly code = 'ASK_TIMEOUT'
  readonly target: string
  readonly timeoutMs: number

  constructor(target: string, timeoutMs: number, asked?: string) {
    const what = asked === undefined ? '' : ` ${asked}`
    super(
      `Ask timed out on ${target} after ${formatMs(timeoutMs)}. It did not answer${what}: it may be busy, may have dropped the message, or does not reply to this kind.`,
    )
    this.target = target
    this.timeoutMs = timeoutMs
  }
}

/** The actor that was asked had terminated already. */
export class AskTargetTerminated extends CodedError {
  readonly code = 'ASK_TARGET_TERMINATED'
  readonly target: string

  constructor(target: string) {
    super(`Ask failed: ${target} had already been terminated.`)
    this.target = target
  }
}

/** The signal of the ask fired before an answer came. */
export class AskAborted extends CodedError {
  readonly code = 'ASK_ABORTED'
  readonly target: string

  constructor(target: string, reason: unknown) {
    super(`Ask to ${target} was given up by its AbortSignal.`, { cause: reason })
    this.target = target
  }
}

/** The error of an answer to `askWithStatus` that came as a text. */
export class StatusError extends CodedError {
  readonly code = 'STATUS_ERROR'
}

/** A promise was sent as an answer; await it first. */
export class PromiseAsReply extends CodedError {
  readonly code = 'PROMISE_AS_REPLY'

  constructor(target: string) {
    super(
      `${target} answered an ask with a promise. Await it in an async handler and answer with its value.`,
    )
  }
}

/** A message was translated into a promise, which nobody would wait for. */
export class PromiseAsMessage extends CodedError {
  readonly code = 'PROMISE_AS_MESSAGE'

  constructor(actor: string) {
    super(
      `A message to ${actor} was translated into a promise. The functions of messageAdapter, pipeToSelf and context.ask answer the message itself; what takes time is awaited in the handler.`,
    )
  }
}

/** The answer to `askWithStatus` was no `StatusReply`. */
export class InvalidStatusReply extends CodedError {
  readonly code = 'INVALID_STATUS_REPLY'

  constructor(target: string, reply: unknown) {
    super(
      `${target} answered ${show(reply)} to askWithStatus. Answer with StatusReply.success or StatusReply.error, or use ask.`,
    )
  }
}

/** The system takes no new actors and answers no asks: it terminates, or has terminated. */
export class SystemTerminated extends CodedError {
  readonly code = 'SYSTEM_TERMINATED'

  constructor(system: string) {
    super(
      `The actor system ${system} is terminating or has terminated: it takes no new actors and answers no asks.`,
    )
  }
}
