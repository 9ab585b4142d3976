/**
 * Persistence: what an entity did survives it. Below is the journal port, where events are appended behind a fence, and
 * two stores for it; above it `EventSourcedBehavior`, an actor whose state is made of stored events, and
 * `DurableStateBehavior`, one whose newest state is stored.
 *
 * Reading order: `journal.ts` (the port and its promises), `slice-reader.ts`, `registers.ts`, `claim-fences.ts` and `event-deletion.ts` (what a journal may do besides), `journals/fence.ts` (the rule that refuses stale writers),
 * `journals/memory-store.ts` (the port, kept in the simplest way), `journals/group-commit.ts`,
 * `journals/lmdb-layout.ts` and `journals/lmdb-commit.ts` (kept on disk, shared by the processes of a host), `journals/postgres`:
 * `postgres-schema.ts`, `postgres-statements.ts`, `postgres-commit.ts` (kept by servers, shared by many hosts). Then
 * `event-sourcing/`: `event-sourced-options.ts` and `effect.ts` (what users write), `event-adapter.ts` (what is stored of
 * an event), `write-pipeline-machine.ts` (what may leave, and when), `write-pipeline.ts`, `event-sourced-instance.ts`,
 * `recovery.ts`, `snapshot-recovery.ts`, `retention.ts`, `snapshot-keeper.ts`, `actor-turn.ts`. Then `durable-state/`,
 * and `transfer/`, by which a store is copied, compared and looked through.
 *
 * Promises: what was acknowledged survives kill -9 and power cuts; sequence numbers have no gaps; a writer whose stream
 * was claimed by another writes nothing more; nothing that is sent through an effect leaves an entity before the events it
 * depends on are stored, and it leaves in the order of the commands. Not covered, because nobody could call it back: what a
 * handler does by itself (`ref.tell`, `context.actor.spawn`, `fetch`), in a command handler, an event handler or a signal.
 */
export type {
  AppendBatch,
  AppendResult,
  Appended,
  Claim,
  Fenced,
  Journal,
  NewEvent,
  ReadRange,
  SequenceConflict,
  StoredEvent,
  TaggedEvent,
} from './journal.ts'
export {
  isSliceReader,
  type OrderedEvent,
  type SlicePage,
  type SliceQuery,
  type SliceReader,
} from './slice-reader.ts'
export {
  type EventDeletion,
  type EventDeletionResult,
  type EventDeletionTo,
  type EventsDeleted,
  deletesEvents,
} from './event-deletion.ts'
export {
  checkNewSnapshot,
  checkSnapshotDeletion,
  checkSnapshotQuery,
  hasSnapshots,
  type NewSnapshot,
  type SnapshotConflict,
  type SnapshotDeletion,
  type SnapshotQuery,
  type SnapshotResult,
  type Snapshots,
  type SnapshotSaved,
  type SnapshotsDeleted,
  type StoredSnapshot,
} from './snapshots.ts'
export {
  checkStateWrite,
  type DurableStates,
  judgeStateWrite,
  keepsStates,
  type RevisionConflict,
  type StateClaim,
  type StateWrite,
  type StateWriteResult,
  type StateWritten,
  type StoredState,
} from './durable-states.ts'
export { checkIdQuery, type IdList, type IdPage, type IdQuery, listsIds } from './id-list.ts'
export type { Grant } from '../foundation/grant.ts'
export { type ClaimFences, checkGrant, fencesClaims, judgeGrant } from './claim-fences.ts'
export {
  canTransfer,
  problemWithPlace,
  problemWithRegisterPlace,
  problemWithStatePlace,
  type StoreTransfer,
  type StreamPlace,
} from './store-transfer.ts'
export {
  checkRegisterName,
  checkRegisterWrite,
  hasRegisters,
  judgeRegisterWrite,
  type StoredRegister,
  type RegisterChanged,
  type Registers,
  type RegisterWrite,
  type RegisterWriteResult,
  type RegisterWritten,
} from './registers.ts'
export { bytesOfEvent, noTags, tagsOfEvent } from './tags.ts'
export type { EventAdapter } from './event-sourcing/event-adapter.ts'
export { type EventVersions, versionedEvents } from './event-sourcing/versioned-events.ts'
export { Effect, type Effects, effectsFor } from './event-sourcing/effect.ts'
export { EventSourcedBehavior } from './event-sourcing/event-sourced-behavior.ts'
export type { EventSourcedDroppedReason } from './event-sourcing/event-sourced-drop-reasons.ts'
export {
  PersistenceFailure,
  JournalFailure,
  EventsNotStored,
  EventsOutcomeUnknown,
  EventsRejected,
  StashOverflow,
  RecoveryFailure,
  WriterFenced,
  InstanceEnded,
  RecoveryTimedOut,
  EventAdapterFailed,
  InvalidEffect,
} from './event-sourcing/event-sourced-errors.ts'
export type {
  EventSourcedContext,
  EventSourcedFamilyOptions,
  EventSourcedOptions,
  EventSourcedSchemas,
  EventSourcedSignal,
  EventSourcedSignalHandlers,
  PersistFailed,
  PersistRejected,
  RecoveryChoice,
  RecoveryCompleted,
  RecoveryFailed,
} from './event-sourcing/event-sourced-options.ts'
export {
  type EventSourcedSettings,
  defaultEventSourcedSettings,
} from './event-sourcing/event-sourced-settings.ts'
export type { Retention } from './event-sourcing/retention.ts'
export {
  type SnapshotAdapter,
  type SnapshotForm,
  SnapshotRefused,
} from './event-sourcing/snapshot-form.ts'
export { type SnapshotChoice, SnapshotMissing } from './event-sourcing/snapshot-recovery.ts'
export type * from './event-sourcing/snapshot-signals.ts'
export {
  AsyncSchema,
  RefusedBySchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from './event-sourcing/standard-schema.ts'
export { type RecoveryPermit, RecoveryPermits } from './event-sourcing/recovery-permits.ts'
export {
  checkAppend,
  checkClaim,
  checkDeletion,
  checkDeletionTo,
  checkJournalSettings,
  checkRange,
  checkSliceQuery,
  judgeAppend,
  judgeDeletionTo,
  judgeSnapshot,
  judgeSnapshotDeletion,
  type StreamState,
} from './journals/fence.ts'
export { DurableStateBehavior } from './durable-state/durable-state-behavior.ts'
export {
  durableEffectsFor,
  type DurableStateEffect,
  type DurableStateEffects,
} from './durable-state/durable-state-effects.ts'
export type { DurableStateOptions } from './durable-state/durable-state-options.ts'
export { StoredStateRefused } from './durable-state/stored-state.ts'
export { LmdbJournal, type LmdbJournalOptions } from './journals/lmdb-journal.ts'
export { type LmdbSettings, defaultLmdbSettings } from './journals/lmdb-settings.ts'
export { MemoryJournal, type MemoryJournalOptions } from './journals/memory-journal.ts'
export { MemoryStore } from './journals/memory-store.ts'
export * from './journals/postgres/postgres-errors.ts'
export {
  PostgresJournal,
  type PostgresJournalOptions,
  type PostgresStore,
} from './journals/postgres/postgres-journal.ts'
export { postgresSchemaSql } from './journals/postgres/postgres-schema.ts'
export {
  defaultPostgresSettings,
  type PostgresSettings,
} from './journals/postgres/postgres-settings.ts'
export * from './persistence-errors.ts'
export * from './reading/reading-errors.ts'
export {
  checkPersistenceId,
  entityIdOf,
  entityTypeOf,
  numberOfSlices,
  persistenceIdOf,
  sliceOf,
  sliceRanges,
} from './persistence-id.ts'
export { type JournalSettings, defaultJournalSettings } from './persistence-settings.ts'
export type { FoldLimits } from './journals/lmdb-fold.ts'
