/**
 * Ending what is stored of a stream: an optional port that a journal may have besides. Entities that delete themselves need
 * it (`self.delete()`); without it that call fails, and all else works.
 *
 * Invariant: the stream itself stays, as a tombstone: its epochs go on growing, its sequence numbers go on from where they
 * were, and the fence holds. An event that was deleted is never handed out again, by whatever way of reading.
 */
import type { AppendBatch, AppendResult, Journal } from './journal.ts'

export interface EventDeletion {
  /**
   * As `append`, and in the same step all events before those of the batch are gone: both happen, or neither. `events` may be
   * empty. Refused as an append is, by epoch and `expectedSequenceNr`, and in one order with the appends of the id.
   * `Appended` means that it survives a power cut; claims tell the number up to which events are gone (`deletedSequenceNr`).
   * What the bytes took is used again, if not at once then soon, also when the process dies meanwhile.
   */
  deleteEvents(batch: AppendBatch): Promise<AppendResult>
}

export function deletesEvents(journal: Journal): journal is Journal & EventDeletion {
  return 'deleteEvents' in journal && typeof journal.deleteEvents === 'function'
}
