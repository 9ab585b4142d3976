/** How an event-sourced entity fails. A caller can read from the class whether its command may have taken effect. */
import { CodedError } from '../../foundation/coded-error.ts'
import { show } from '../../foundation/show.ts'
import {
  ClaimFenced,
  JournalClosed,
  JournalOutcomeUnknown,
  JournalUnavailable,
} from '../persistence-errors.ts'

/** The journal let the entity down. It never goes on with the state it has. */
export abstract class PersistenceFailure extends CodedError {
  readonly persistenceId: string

  constructor(persistenceId: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.persistenceId = persistenceId
  }
}

/** A failure that a fresh instance may get over: what `onPersistFailure` answers for. */
export abstract class JournalFailure extends PersistenceFailure {}

/** Nothing was stored: the command had no effect and may be sent again. */
export class EventsNotStored extends JournalFailure {
  readonly code = 'EVENTS_NOT_STORED'

  constructor(persistenceId: string, cause: unknown) {
    super(
      persistenceId,
      `Events of ${show(persistenceId)} were not stored: ${wordsOf(cause)} The command had no effect and may be sent again.`,
      cause,
    )
  }
}

/**
 * The journal refuses these events for what they are, so that it would refuse them again: nothing was stored. A failure like any
 * other: whoever supervises the entity may restart it, and it comes back with what is stored. It cannot be resumed.
 */
export class EventsRejected extends PersistenceFailure {
  readonly code = 'EVENTS_REJECTED'

  constructor(persistenceId: string, cause: unknown) {
    super(
      persistenceId,
      `Events of ${show(persistenceId)} were refused by the journal for what they are: ${wordsOf(cause)} Nothing was stored. To send the command again is of no use.`,
      cause,
    )
  }
}

/** As many commands wait as may, and `onStashOverflow` is `'fail'`. */
export class StashOverflow extends CodedError {
  readonly code = 'STASH_OVERFLOW'

  constructor(persistenceId: string, commandsMax: number) {
    super(
      `${show(persistenceId)} keeps ${commandsMax} commands for later (stashedCommandsMax), and another one came. Unstash earlier, or raise the setting.`,
    )
  }
}

/** The command may have taken effect or not. */
export class EventsOutcomeUnknown extends JournalFailure {
  readonly code = 'EVENTS_OUTCOME_UNKNOWN'

  constructor(persistenceId: string, cause: unknown) {
    super(
      persistenceId,
      `Nobody can tell whether events of ${show(persistenceId)} were stored: ${wordsOf(cause)} Ask the entity before the command is sent again.`,
      cause,
    )
  }
}

/** The entity could not be brought back to its state. */
export class RecoveryFailure extends JournalFailure {
  readonly code = 'RECOVERY_FAILED'
  /** Whether it may go well the next time: the store could not be read. What is wrong with an event, or with its handler, stays. */
  readonly mayPass: boolean

  /** `handling` is the number of the event whose handling threw the cause; undefined when it came from the journal. */
  constructor(persistenceId: string, cause: unknown, handling?: number) {
    // Some name the event themselves, and say what to look at.
    const isNamed = cause instanceof CodedError && ('sequenceNr' in cause || 'revision' in cause)
    const advice =
      handling !== undefined && !isNamed
        ? ` Look at event ${handling} and at the event handler.`
        : ''
    super(
      persistenceId,
      `${show(persistenceId)} could not be recovered: ${wordsOf(cause)}${advice}`,
      cause,
    )
    this.mayPass = handling === undefined && isPassing(cause)
  }
}

/** Another instance has claimed the stream: this one was not alone, and has lost. Nothing of this command was stored. */
export class WriterFenced extends PersistenceFailure {
  readonly code = 'WRITER_FENCED'
  readonly byWriter: string
  readonly byEpoch: number

  constructor(persistenceId: string, byWriter: string, byEpoch: number) {
    super(
      persistenceId,
      `${show(persistenceId)} is written by ${show(byWriter)} now (epoch ${byEpoch}); this instance stops. Its command had no effect and may be sent again.`,
    )
    this.byWriter = byWriter
    this.byEpoch = byEpoch
  }
}

/** The entity was stopped while an async command of it ran. */
export class InstanceEnded extends PersistenceFailure {
  readonly code = 'INSTANCE_ENDED'

  constructor(persistenceId: string) {
    super(
      persistenceId,
      `${show(persistenceId)} was stopped before the command had settled. It had no effect and may be sent again.`,
    )
  }
}

/** Nothing came from the journal for too long. */
export class RecoveryTimedOut extends CodedError {
  readonly code = 'RECOVERY_TIMED_OUT'

  constructor(what: string, timeoutMs: number) {
    super(`${what} took longer than recoveryTimeoutMs, ${timeoutMs} ms. Look at the store.`)
  }
}

/** What lies in the journal could not be made into events. */
export class EventAdapterFailed extends CodedError {
  readonly code = 'EVENT_ADAPTER_FAILED'
  readonly sequenceNr: number

  constructor(sequenceNr: number, problem: string, cause?: unknown) {
    super(`The event adapter could not read event ${sequenceNr}: ${problem}`, { cause })
    this.sequenceNr = sequenceNr
  }
}

/** A handler of an event-sourced behavior gave something that is no effect, or one that cannot be. */
export class InvalidEffect extends CodedError {
  readonly code = 'INVALID_EFFECT'
}

/** Whether the journal says of it that it is no fault of what is stored. What is no error of ours is of a journal of a user's own. */
function isPassing(cause: unknown): boolean {
  return (
    !(cause instanceof CodedError) ||
    cause instanceof RecoveryTimedOut ||
    cause instanceof JournalUnavailable ||
    // Whoever has the lease now can be recovered where it is.
    cause instanceof ClaimFenced ||
    cause instanceof JournalOutcomeUnknown ||
    cause instanceof JournalClosed
  )
}

export function wordsOf(cause: unknown): string {
  const words = cause instanceof Error ? cause.message : show(cause)
  return /[.!?]$/.test(words) ? words : `${words}.`
}
