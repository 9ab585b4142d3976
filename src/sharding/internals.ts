/**
 * For the rooms above: sharding itself, ids and names, and the checks of settings. The package does not export it.
 */
export { notYetInSharding, shardDutyChecks } from './checked-definition.ts'
export { ClusterSharding } from './cluster-sharding.ts'
export {
  coordinatorAppendEventsMax,
  coordinatorStreamType,
} from './coordinator/coordinator-journal.ts'
export { type CoordinatorEvent, CoordinatorState } from './coordinator/coordinator-state.ts'
export {
  CoordinatorFenced,
  type CoordinatorStore,
  type CoordinatorStoreOptions,
  type OpenCoordinatorStore,
  type StoredDecisions,
} from './coordinator/coordinator-store.ts'
export { formerNames } from './former-names.ts'
export type { LossListener, LostEntityMessage } from './entity-losses.ts'
export { problemsWithPassivation } from './passivation/passivation-check.ts'
export { RememberJournal, rememberedStreamType } from './remembering/remember-journal.ts'
export { checkEntityId, shardOf } from './shard-id.ts'
export { shardingSettingsTable } from './sharding-settings.ts'
export { shardingShutdownPhases } from './sharding-shutdown-phases.ts'
export { isShardLeaseOf } from './shard/shard-lease-name.ts'
export { entityTypeIn } from './type-in-data-center.ts'
