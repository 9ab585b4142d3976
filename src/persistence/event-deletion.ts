/**
 * Ending what is stored of a stream, all of it or its beginning: an optional port that a journal may have besides. Entities
 * that delete themselves need it (`self.delete()`), and those that keep snapshots in the place of events.
 *
 * Invariant: the stream itself stays, as a tombstone: its epochs go on growing, its sequence numbers go on from where they
 * were, and the fence holds. An event that was deleted is never handed out again, by whatever way of reading.
 */
import { hasMethods } from './has-methods.ts'
import type { AppendBatch, AppendResult, Fenced, Journal, SequenceConflict } from './journal.ts'

export interface EventDeletion {
  /**
   * As `append`, and in the same step all events before those of the batch are gone: both happen, or neither. `events` may be
   * empty. Refused as an append is, by epoch and `expectedSequenceNr`, and in one order with the appends of the id.
   * `Appended` means that it survives a power cut; claims tell the number up to which events are gone (`deletedSequenceNr`).
   * What the bytes took is used again, if not at once then soon, also when the process dies meanwhile. Snapshots of the stream
   * go with its events.
   */
  deleteEvents(batch: AppendBatch): Promise<AppendResult>

  /**
   * The first events are gone, up to and with this number, because something else has what they say. The stream goes on as it
   * was: its state is still made of them. Refused as an append is, and in one order with the appends of the id.
   * `EventsDeleted` means that it survives a power cut.
   */
  deleteEventsTo(deletion: EventDeletionTo): Promise<EventDeletionResult>
}

export interface EventDeletionTo {
  readonly persistenceId: string
  /** From `claim`. */
  readonly epoch: number
  readonly toSequenceNr: number
}

export type EventDeletionResult = EventsDeleted | Fenced | SequenceConflict

export interface EventsDeleted {
  readonly type: 'EventsDeleted'
  /** Greater than what was asked for when more was deleted before. */
  readonly deletedSequenceNr: number
}

export function deletesEvents(journal: Journal): journal is Journal & EventDeletion {
  return hasMethods(journal, ['deleteEvents', 'deleteEventsTo'])
}
