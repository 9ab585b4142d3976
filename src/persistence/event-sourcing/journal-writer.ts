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
  JournalUnavailable,
  StateTooLarge,
} from '../persistence-errors.ts'
import {
  EventsNotStored,
  EventsOutcomeUnknown,
  EventsRejected,
  type PersistenceFailure,
  WriterFenced,
} from './event-sourced-errors.ts'
import type { WriteEffect, WriteEnd } from './write-pipeline-inputs.ts'

type Append = Extract<WriteEffect<never>, { type: 'Append' }>
export type WriteOutcome = { readonly type: 'Appended'; readonly batch: number } | WriteEnd

export class JournalWriter {
  readonly #journal: Journal
  readonly #toldAppends: ToldAppends | undefined
  readonly #persistenceId: string
  readonly #epoch: number
  readonly #answered: (outcome: WriteOutcome) => void

  constructor(
    journal: Journal,
    persistenceId: string,
    epoch: number,
    answered: (outcome: WriteOutcome) => void,
  ) {
    this.#journal = journal
    this.#toldAppends = toldAppendsOf(journal)
    this.#persistenceId = persistenceId
    this.#epoch = epoch
    this.#answered = answered
  }

  /** Never throws: the answer says everything, and never comes inside the call. */
  append({ batch, expectedSequenceNr, events, deletes }: Append): void {
    const persistenceId = this.#persistenceId
    const write = { persistenceId, epoch: this.#epoch, expectedSequenceNr, events }
    const pending = new PendingAppend(this, batch, expectedSequenceNr)
    if (this.#toldAppends !== undefined && !deletes) {
      return this.#toldAppends.append(write, pending)
    }
    // A journal of somebody else's may throw where it should reject, and answer what is no answer.
    try {
      // By `then`, because an async function costs two promises more per append.
      void this.#write(write, deletes).then(
        (result) => pending.succeeded(result),
        (cause: unknown) => pending.conclude(cause),
      )
    } catch (cause) {
      pending.failed(cause)
    }
  }

  answered({ batch, expectedSequenceNr }: PendingAppend, result: AppendResult): void {
    let outcome: WriteOutcome
    try {
      outcome = this.#outcomeOf(batch, expectedSequenceNr, result)
    } catch (cause) {
      return this.failed(batch, cause)
    }
    this.#answered(outcome)
  }

  failed(batch: number, cause: unknown): void {
    this.#answered({ type: isRefusal(cause) ? 'Failed' : 'Unknown', batch, cause })
  }

  #write(write: AppendBatch, deletes: boolean): Promise<AppendResult> {
    const journal = this.#journal
    if (!deletes) return journal.append(write)
    assert(deletesEvents(journal), 'nothing is deleted in a journal that cannot')
    return journal.deleteEvents(write)
  }

  #outcomeOf(batch: number, expectedSequenceNr: number, result: AppendResult): WriteOutcome {
    switch (result.type) {
      case 'Appended':
        return { type: 'Appended', batch }
      case 'Fenced':
        return { type: 'Fenced', batch, byWriter: result.byWriter, byEpoch: result.byEpoch }
      case 'SequenceConflict': {
        const where = `the stream of "${this.#persistenceId}"`
        const problem = `it has ${result.highestSequenceNr} events where its only writer knows of ${expectedSequenceNr}`
        return { type: 'Failed', batch, cause: new JournalCorrupted(where, problem) }
      }
      default:
        return unreachable(result)
    }
  }
}

/** One append on its way. */
class PendingAppend implements ToldAppend {
  readonly batch: number
  readonly expectedSequenceNr: number
  readonly #writer: JournalWriter

  constructor(writer: JournalWriter, batch: number, expectedSequenceNr: number) {
    this.#writer = writer
    this.batch = batch
    this.expectedSequenceNr = expectedSequenceNr
  }

  succeeded(result: AppendResult): void {
    this.#writer.answered(this, result)
  }

  /** Maybe inside the call. */
  failed(cause: unknown): void {
    void Promise.resolve(cause).then((error) => this.conclude(error))
  }

  conclude(cause: unknown): void {
    this.#writer.failed(this.batch, cause)
  }
}

/** Whether the journal says that nothing was stored. Of anything else nobody can tell. */
function isRefusal(cause: unknown): boolean {
  return (
    isRejection(cause) ||
    cause instanceof JournalUnavailable ||
    cause instanceof JournalFolderLost ||
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
