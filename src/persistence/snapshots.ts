/**
 * Keeping states beside the events they are made of, so that a recovery reads only what came after: an optional port that a
 * journal may have besides. Nothing depends on a snapshot as long as its events are there.
 *
 * Invariant: a writer that has lost its stream saves and deletes nothing; what ends a stream (`deleteEvents`) ends its
 * snapshots in the same step, so that a state that was deleted never comes back.
 */
import { hasMethods } from './has-methods.ts'
import { InvalidJournalCall, StateTooLarge } from './persistence-errors.ts'
import { checkPersistenceId } from './persistence-id.ts'
import type { Fenced, Journal } from './journal.ts'
import { checkWhole } from './whole-number.ts'

export interface Snapshots {
  /** Every snapshot takes the place of the one before it: none has to be deleted. */
  readonly keepsNewestSnapshotOnly?: boolean | undefined

  /**
   * Keeps a state, in the place of one of the same number. The events up to that number must be stored: otherwise
   * `SnapshotConflict`. `SnapshotSaved` means that it survives a power cut. Rejects as `append` does, and with
   * `StateTooLarge`. The bytes belong to the journal until the promise settles.
   */
  saveSnapshot(snapshot: NewSnapshot): Promise<SnapshotResult>

  /** The one with the greatest number that fits, in bytes of the reader's own; undefined when there is none. */
  loadSnapshot(query: SnapshotQuery): Promise<StoredSnapshot | undefined>

  /** Deletes those that fit. None is no failure. */
  deleteSnapshots(deletion: SnapshotDeletion): Promise<SnapshotsDeleted | Fenced>
}

export interface NewSnapshot {
  readonly persistenceId: string
  /** From `claim`. */
  readonly epoch: number
  /** Of the last event that the state is made of; at least 1. */
  readonly sequenceNr: number
  /** The time of day of whoever saves it, in milliseconds since 1970. For people, and for queries. */
  readonly savedAtMs: number
  readonly bytes: Uint8Array
}

export interface SnapshotQuery {
  readonly persistenceId: string
  /** Both included. */
  readonly fromSequenceNr: number
  readonly toSequenceNr: number
  /** Only those that were saved at this time or before; all when left out. */
  readonly savedUntilMs?: number | undefined
}

export interface StoredSnapshot {
  readonly persistenceId: string
  readonly sequenceNr: number
  readonly savedAtMs: number
  readonly bytes: Uint8Array
}

export interface SnapshotDeletion extends SnapshotQuery {
  readonly epoch: number
}

export type SnapshotResult = SnapshotSaved | Fenced | SnapshotConflict

export interface SnapshotSaved {
  readonly type: 'SnapshotSaved'
}

/** The stream has no event of this number, or none any more since it was ended. */
export interface SnapshotConflict {
  readonly type: 'SnapshotConflict'
  readonly highestSequenceNr: number
}

export interface SnapshotsDeleted {
  readonly type: 'SnapshotsDeleted'
}

export function hasSnapshots(journal: Journal): journal is Journal & Snapshots {
  return hasMethods(journal, ['saveSnapshot', 'loadSnapshot', 'deleteSnapshots'])
}

/** Throws for what no store has to take. Answers the bytes to be stored. */
export function checkNewSnapshot(snapshot: NewSnapshot, stateBytesMax: number): number {
  const { persistenceId, epoch, sequenceNr, savedAtMs, bytes } = snapshot
  checkPersistenceId(persistenceId)
  checkWhole('epoch', epoch, 1)
  checkWhole('sequenceNr', sequenceNr, 1)
  checkWhole('savedAtMs', savedAtMs, 0)
  if (!(bytes instanceof Uint8Array)) {
    throw new InvalidJournalCall(`A snapshot of "${persistenceId}" must be bytes.`)
  }
  if (bytes.byteLength > stateBytesMax) {
    throw new StateTooLarge(persistenceId, bytes.byteLength, stateBytesMax)
  }
  return bytes.byteLength
}

export function checkSnapshotQuery(query: SnapshotQuery): void {
  const { persistenceId, fromSequenceNr, toSequenceNr, savedUntilMs } = query
  checkPersistenceId(persistenceId)
  checkWhole('fromSequenceNr', fromSequenceNr, 0)
  checkWhole('toSequenceNr', toSequenceNr, 0)
  if (savedUntilMs !== undefined) checkWhole('savedUntilMs', savedUntilMs, 0)
}

export function checkSnapshotDeletion(deletion: SnapshotDeletion): void {
  checkSnapshotQuery(deletion)
  checkWhole('epoch', deletion.epoch, 1)
}
