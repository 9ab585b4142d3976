/** Gives the batches of one instance to the journal, and says in the words of the pipeline what became of them. */
import { assert, unreachable } from '../../foundation/assert.ts'
import { deletesEvents } from '../event-deletion.ts'
import type { AppendBatch, AppendResult, Journal } from '../journal.ts'
import { type ToldAppend, type ToldAppends, toldAppendsOf } from '../told-appends.ts'
import {
  EventTooLarge,
  InvalidJournalCall,
  JournalClosed,
  JournalCorrupted,
  JournalFolderLost,
  JournalFormatMismatch,
  JournalUnavailable,
  StateTooLarge,
} from '../persistence-errors.ts'
import type { Errand } from './actor-turn.ts'
import {
  EventsNotStored,
  EventsOutcomeUnknown,
  EventsRejected,
  type PersistenceFailure,
  WriterFenced,
} from './event-sourced-errors.ts'
import type { WriteEffect, WriteEnd } from './write-pipeline-inputs.ts'

export type Append = Extract<WriteEffect<never>, { type: 'Append' }>
export type WriteOutcome = { readonly type: 'Appended'; readonly batch: number } | WriteEnd

/** Whoever has given an append to the journal. */
export interface AppendOwner {
  /** It has its outcome. Once for each, and never inside the call. */
  answered(append: PendingAppend): void
  /** The owner has asked for this: it is in the actor's turn, or the actor is stopping. */
  conclude(outcome: WriteOutcome): void
}

export class JournalWriter {
  readonly #journal: Journal
  readonly #toldAppends: ToldAppends | undefined
  readonly #persistenceId: string
  readonly #epoch: number
  readonly #owner: AppendOwner

  constructor(journal: Journal, persistenceId: string, epoch: number, owner: AppendOwner) {
    this.#journal = journal
    this.#toldAppends = toldAppendsOf(journal)
    this.#persistenceId = persistenceId
    this.#epoch = epoch
    this.#owner = owner
  }

  /** Never throws: the answer says everything, and never comes inside the call. */
  append(append: Append): void {
    const pending = new PendingAppend(this.#owner, this.#persistenceId, this.#epoch, append)
    const { deletes } = append
    if (this.#toldAppends !== undefined && !deletes) {
      return this.#toldAppends.append(pending, pending)
    }
    const { persistenceId, epoch, expectedSequenceNr, events } = pending
    // A journal of somebody else's may throw where it should reject, and answer what is no answer.
    try {
      // By `then`, because an async function costs two promises more per append.
      void this.#write({ persistenceId, epoch, expectedSequenceNr, events }, deletes).then(
        (result) => pending.succeeded(result),
        (cause: unknown) => pending.failedLater(cause),
      )
    } catch (cause) {
      pending.failed(cause)
    }
  }

  #write(write: AppendBatch, deletes: boolean): Promise<AppendResult> {
    const journal = this.#journal
    if (!deletes) return journal.append(write)
    assert(deletesEvents(journal), 'nothing is deleted in a journal that cannot')
    return journal.deleteEvents(write)
  }
}

/** One append on its way: what the journal is given, whom it tells, and what is done in the actor's turn then. One object for all. */
export class PendingAppend implements AppendBatch, ToldAppend, Errand {
  readonly persistenceId: string
  readonly epoch: number
  readonly expectedSequenceNr: number
  readonly events: AppendBatch['events']
  readonly #batch: number
  readonly #owner: AppendOwner
  #outcome: WriteOutcome | undefined = undefined

  constructor(owner: AppendOwner, persistenceId: string, epoch: number, append: Append) {
    this.persistenceId = persistenceId
    this.epoch = epoch
    this.expectedSequenceNr = append.expectedSequenceNr
    this.events = append.events
    this.#batch = append.batch
    this.#owner = owner
  }

  run(): void {
    assert(this.#outcome !== undefined, 'an append is concluded when it was answered')
    this.#owner.conclude(this.#outcome)
  }

  succeeded(result: AppendResult): void {
    try {
      this.#outcome = this.#outcomeOf(result)
    } catch (cause) {
      return this.failedLater(cause)
    }
    this.#owner.answered(this)
  }

  /** Maybe inside the call. */
  failed(cause: unknown): void {
    void Promise.resolve(cause).then((error) => this.failedLater(error))
  }

  failedLater(cause: unknown): void {
    const batch = this.#batch
    this.#outcome = { type: isRefusal(cause) ? 'Failed' : 'Unknown', batch, cause }
    this.#owner.answered(this)
  }

  #outcomeOf(result: AppendResult): WriteOutcome {
    const batch = this.#batch
    switch (result.type) {
      case 'Appended':
        return { type: 'Appended', batch }
      case 'Fenced':
        return { type: 'Fenced', batch, byWriter: result.byWriter, byEpoch: result.byEpoch }
      case 'SequenceConflict': {
        const where = `the stream of "${this.persistenceId}"`
        const problem = `it has ${result.highestSequenceNr} events where its only writer knows of ${this.expectedSequenceNr}`
        return { type: 'Failed', batch, cause: new JournalCorrupted(where, problem) }
      }
      default:
        return unreachable(result)
    }
  }
}

/** Whether the journal says that nothing was stored. Of anything else nobody can tell. */
function isRefusal(cause: unknown): boolean {
  return (
    isRejection(cause) ||
    cause instanceof JournalUnavailable ||
    cause instanceof JournalFolderLost ||
    cause instanceof JournalFormatMismatch ||
    cause instanceof InvalidJournalCall ||
    cause instanceof JournalClosed
  )
}

/** Whether it is for what was to be stored. */
function isRejection(cause: unknown): boolean {
  return cause instanceof EventTooLarge || cause instanceof StateTooLarge
}

export function failureOf(persistenceId: string, end: WriteEnd): PersistenceFailure {
  switch (end.type) {
    case 'Fenced':
      return new WriterFenced(persistenceId, end.byWriter, end.byEpoch)
    case 'Failed':
      return isRejection(end.cause)
        ? new EventsRejected(persistenceId, end.cause)
        : new EventsNotStored(persistenceId, end.cause)
    case 'Unknown':
      return new EventsOutcomeUnknown(persistenceId, end.cause)
    default:
      return unreachable(end)
  }
}
