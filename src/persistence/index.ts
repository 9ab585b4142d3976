/**
 * Persistence: what an entity did survives it. So far there is the ground: the journal port, where events are appended
 * behind a fence, and two stores for it. Event sourcing is built on top of this door.
 *
 * Reading order: `journal.ts` (the port and its promises), `journals/fence.ts` (the rule that refuses stale writers),
 * `journals/memory-store.ts` (the port, kept in the simplest way), `journals/group-commit.ts`,
 * `journals/lmdb-layout.ts` and `journals/lmdb-commit.ts` (kept on disk, shared by the processes of a host).
 *
 * Promises: what was acknowledged survives kill -9 and power cuts; sequence numbers have no gaps; a writer whose stream
 * was claimed by another writes nothing more.
 */
export type {
  AppendBatch,
  AppendResult,
  Appended,
  Claim,
  Fenced,
  Journal,
  ReadRange,
  SequenceConflict,
  StoredEvent,
} from './journal.ts'
export { LmdbJournal, type LmdbJournalOptions } from './journals/lmdb-journal.ts'
export { MemoryJournal, type MemoryJournalOptions } from './journals/memory-journal.ts'
export { MemoryStore } from './journals/memory-store.ts'
export * from './persistence-errors.ts'
export { checkPersistenceId, numberOfSlices, sliceOf } from './persistence-id.ts'
export { type JournalSettings, defaultJournalSettings } from './persistence-settings.ts'
