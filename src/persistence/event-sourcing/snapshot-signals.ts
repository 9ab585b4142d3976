/** What an event-sourced actor hears of its snapshots, and of what was deleted because of them. None of it ends the actor. */

/** The state at this number is kept. */
export interface SnapshotSavedSignal {
  readonly type: 'SnapshotSaved'
  readonly sequenceNr: number
}

/** This state is not kept; the next one will be tried. Its events are as they were. */
export interface SnapshotFailed {
  readonly type: 'SnapshotFailed'
  readonly sequenceNr: number
  readonly error: unknown
}

/** The events up to this number are gone. */
export interface EventsDeletedSignal {
  readonly type: 'EventsDeleted'
  readonly toSequenceNr: number
}

/** They are still there; the next run tries again. */
export interface EventDeletionFailed {
  readonly type: 'EventDeletionFailed'
  readonly toSequenceNr: number
  readonly error: unknown
}

/** The snapshots up to this number are gone. */
export interface SnapshotsDeletedSignal {
  readonly type: 'SnapshotsDeleted'
  readonly toSequenceNr: number
}

/** They are still there; the next run tries again. */
export interface SnapshotDeletionFailed {
  readonly type: 'SnapshotDeletionFailed'
  readonly toSequenceNr: number
  readonly error: unknown
}

export type SnapshotSignal =
  | SnapshotSavedSignal
  | SnapshotFailed
  | EventsDeletedSignal
  | EventDeletionFailed
  | SnapshotsDeletedSignal
  | SnapshotDeletionFailed
