/** Whoever hears of what a store has decided, in the order in which it took effect: those who check it, and those who tell of it. */
import type {
  AppendBatch,
  AppendResult,
  Claim,
  ClaimFenced,
  EventDeletionResult,
  EventDeletionTo,
  Fenced,
  Grant,
  NewSnapshot,
  SnapshotDeletion,
  SnapshotResult,
  SnapshotsDeleted,
  StateClaim,
  StateWrite,
  StateWriteResult,
  StoredSnapshot,
} from '../../persistence/index.ts'

export interface JournalWatcher {
  /** Before anything is done: a living node asks for this write of events. */
  asked(batch: Pick<AppendBatch, 'persistenceId' | 'epoch'>): void
  /** Before `claimed` or `stateClaimed`: the claim was made under this grant, and was taken. */
  granted(persistenceId: string, grant: Grant): void
  /** A claim under a grant was refused. */
  claimFenced(refusal: ClaimFenced): void
  claimed(persistenceId: string, claim: Claim): void
  appended(batch: AppendBatch, result: AppendResult): void
  /** As of an append. */
  deleted(batch: AppendBatch, result: AppendResult): void
  deletedTo(deletion: EventDeletionTo, result: EventDeletionResult): void
  snapshotSaved(snapshot: NewSnapshot, result: SnapshotResult): void
  snapshotLoaded(found: StoredSnapshot | undefined): void
  snapshotsDeleted(deletion: SnapshotDeletion, result: SnapshotsDeleted | Fenced): void
  stateClaimed(persistenceId: string, claim: StateClaim): void
  stateWritten(write: StateWrite, result: StateWriteResult): void
}
