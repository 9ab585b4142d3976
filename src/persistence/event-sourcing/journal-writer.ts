/** Gives the batches of one instance to the journal, and says in the words of the pipeline what became of them. */
import { assert, unreachable } from '../../foundation/assert.ts'
import { deletesEvents } from '../event-deletion.ts'
import type { AppendBatch, AppendResult, Journal } from '../journal.ts'
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
    this.#persistenceId = persistenceId
    this.#epoch = epoch
    this.#answered = answered
  }

  /** Never throws: the answer says everything. By `then`, because an async function costs two promises more per append. */
  append({ batch, expectedSequenceNr, events, deletes }: Append): void {
    const failed = (cause: unknown): void =>
      this.#answered({ type: isRefusal(cause) ? 'Failed' : 'Unknown', batch, cause })
    const write = {
      persistenceId: this.#persistenceId,
      epoch: this.#epoch,
      expectedSequenceNr,
      events,
    }
    // A journal of somebody else's may throw where it should reject, and answer what is no answer.
    try {
      void this.#write(write, deletes).then((result) => {
        let outcome: WriteOutcome
        try {
          outcome = this.#outcomeOf(batch, expectedSequenceNr, result)
        } catch (cause) {
          return failed(cause)
        }
        this.#answered(outcome)
      }, failed)
    } catch (cause) {
      // Answers never come inside the call.
      void Promise.resolve(cause).then(failed)
    }
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
