/**
 * States that are kept without events, in the form of a journal: the stream of an id has one event, its newest state, whose
 * number is the revision. So durable states run on the machinery of event-sourced actors as it is: claim, fence, pipeline,
 * recovery.
 *
 * Invariant: a write is accepted exactly when the append that it stands for would be; revisions never fall, also when a state
 * was deleted, which is a stream that ends where it is.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { Grant } from '../../foundation/grant.ts'
import type { DurableStates, StateWriteResult } from '../durable-states.ts'
import type { EventDeletion, EventDeletionResult, EventDeletionTo } from '../event-deletion.ts'
import type {
  AppendBatch,
  AppendResult,
  Claim,
  Journal,
  ReadRange,
  StoredEvent,
} from '../journal.ts'
import { JournalUnavailable } from '../persistence-errors.ts'
import { bytesOfEvent, noTags } from '../tags.ts'

/** States that came with a claim and were not read yet, at most; whatever is more is read again. */
const claimedMax = 1_000

export class StatesAsJournal implements Journal, EventDeletion {
  readonly #states: Journal & DurableStates
  /** By id, what its last claim has brought: it is read next. */
  readonly #claimed = new Map<string, StoredEvent>()

  constructor(states: Journal & DurableStates) {
    this.#states = states
  }

  get storeId(): string | undefined {
    return this.#states.storeId
  }

  async claim(persistenceId: string, writer: string, grant?: Grant): Promise<Claim> {
    const { epoch, revision, bytes } = await this.#states.claimState(persistenceId, writer, grant)
    this.#claimed.delete(persistenceId)
    if (bytes === undefined) {
      const ended = { deletedSequenceNr: revision, startSequenceNr: revision }
      return { epoch, highestSequenceNr: revision, ...ended }
    }
    if (this.#claimed.size < claimedMax) {
      this.#claimed.set(persistenceId, stateAt(persistenceId, revision, epoch, bytes))
    }
    const before = { deletedSequenceNr: revision - 1, startSequenceNr: revision - 1 }
    return { epoch, highestSequenceNr: revision, ...before }
  }

  /** Of several states in a row the last one is stored: nobody has heard of the others. */
  async append(batch: AppendBatch): Promise<AppendResult> {
    const { persistenceId, epoch, expectedSequenceNr, events } = batch
    const last = events.at(-1)
    return answerTo(
      await this.#states.writeState({
        ...{ persistenceId, epoch, expectedRevision: expectedSequenceNr },
        revision: expectedSequenceNr + events.length,
        bytes: last === undefined ? undefined : bytesOfEvent(last),
      }),
    )
  }

  /** The state before it goes in any case. */
  deleteEvents(batch: AppendBatch): Promise<AppendResult> {
    return this.append(batch)
  }

  /** There are no events before the state. */
  async deleteEventsTo({ toSequenceNr }: EventDeletionTo): Promise<EventDeletionResult> {
    return { type: 'EventsDeleted', deletedSequenceNr: toSequenceNr }
  }

  async read(range: ReadRange, onEvent: (event: StoredEvent) => void): Promise<void> {
    const { persistenceId, fromSequenceNr, toSequenceNr } = range
    const claimed = this.#claimed.get(persistenceId)
    this.#claimed.delete(persistenceId)
    const state = claimed ?? (await this.#read(persistenceId, toSequenceNr))
    if (state === undefined) return
    const { sequenceNr } = state
    if (sequenceNr >= fromSequenceNr && sequenceNr <= toSequenceNr) onEvent(state)
  }

  async #read(persistenceId: string, upTo: number): Promise<StoredEvent | undefined> {
    const stored = await this.#states.readState(persistenceId)
    if (stored === undefined) return undefined
    const { revision, epoch, writer, bytes } = stored
    // Who reads has been told of a state by its claim.
    if (revision > upTo || bytes === undefined) {
      throw new JournalUnavailable(
        `The state of "${persistenceId}" was ${bytes === undefined ? 'deleted' : 'written'} by ${writer} (epoch ${epoch}) while it was read: another instance has it now.`,
      )
    }
    return stateAt(persistenceId, revision, epoch, bytes)
  }

  async highestSequenceNr(persistenceId: string): Promise<number> {
    return (await this.#states.readState(persistenceId))?.revision ?? 0
  }

  /** It belongs to whoever opened it. */
  async close(): Promise<void> {}
}

function stateAt(
  persistenceId: string,
  sequenceNr: number,
  epoch: number,
  bytes: Uint8Array,
): StoredEvent {
  return { persistenceId, sequenceNr, epoch, tags: noTags, bytes }
}

function answerTo(result: StateWriteResult): AppendResult {
  switch (result.type) {
    case 'StateWritten':
      return { type: 'Appended', highestSequenceNr: result.revision }
    case 'Fenced':
      return result
    case 'RevisionConflict':
      return { type: 'SequenceConflict', highestSequenceNr: result.revision }
    default:
      return unreachable(result)
  }
}
