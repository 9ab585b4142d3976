/**
 * For the rooms above: families of event-sourced actors, and the checks of settings. The package does not export it.
 */
export { adapted, encoded, type Encoding } from './event-sourcing/event-adapter.ts'
export { EventSourcedFamily } from './event-sourcing/event-sourced-behavior.ts'
export type { FamilyContext } from './event-sourcing/event-sourced-options.ts'
export { persistenceIdPrefix } from './persistence-id.ts'
export { StatesAsJournal } from './durable-state/states-as-journal.ts'
export { type StateForm, snapshotFormOf, storedState } from './durable-state/stored-state.ts'
export { encodedState } from './event-sourcing/snapshot-form.ts'
export { checkBySchema, problemsWithSchema } from './event-sourcing/standard-schema.ts'
export { eventSourcedSettingsTable } from './event-sourcing/event-sourced-settings.ts'
export { otherProcessesIn } from './journals/lmdb-lock.ts'
export { lmdbSettingsTable } from './journals/lmdb-settings.ts'
export { isPostgresUrl, placeOfUrl } from './journals/postgres/postgres-url.ts'
export { postgresSettingsTable } from './journals/postgres/postgres-settings.ts'
export { readIds, readSlices, readStream } from './reading/read-stored.ts'
export { type PlacedEvent, SliceCursor } from './reading/slice-cursor.ts'
export { firstPlace, placeOfText, type SlicePlace, textOfPlace } from './reading/slice-place.ts'
export { problemWithTags } from './tags.ts'
export { readsStreams } from './store-transfer.ts'
export { type ToldAppends, toldAppendsOf } from './told-appends.ts'
export { compareStores, type Compared } from './transfer/compare-stores.ts'
export { copyStore, type CopyProgress, nothingCopied } from './transfer/copy-store.ts'
export {
  lookAtEvents,
  lookAtIds,
  lookAtRegisters,
  lookAtSnapshots,
  lookAtState,
  lookOver,
  type StoreSight,
} from './transfer/look.ts'
export { lineOf } from './transfer/shown-value.ts'
export { CopyRefused, SameStore, TargetNotEmpty } from './transfer/transfer-errors.ts'
export {
  idsOf,
  registersOf,
  snapshotsOf,
  wholeStore,
  type WholeStore,
} from './transfer/whole-store.ts'
