/**
 * Sharding: entities grouped into shards, and every shard at home on one node at a time.
 *
 * Reading order: `cluster-sharding.ts` (the door), `entity-ref.ts`, `sharding-messages.ts` (who says what), `coordinator/`
 * (who gives shards their homes, and moves them), `region/` (where messages go, and which shards live here), `shard/` (the
 * entities of one shard), `passivation/` (which of them rest), `allocation/` (which home is best), `inspection/` (what people
 * can see of all that). In each, the machine decides and its shell acts (`coordinator-actor.ts`, `region.ts`, `shard.ts`); `coordinator-store.ts` is the port to where homes are stored;
 * `running-type.ts` puts them together.
 *
 * Promises: a shard has at most one home; a home is told only after it was stored; per sender and entity, messages arrive
 * in the order in which they were sent, also across moves; what is not delivered is dropped with a reason.
 */
export {
  LeastShardAllocationStrategy,
  type LeastShardOptions,
} from './allocation/least-shard-allocation-strategy.ts'
export {
  ConsistentHashingAllocationStrategy,
  type ConsistentHashingOptions,
} from './allocation/consistent-hashing-allocation-strategy.ts'
export {
  type ExternalShardAllocationOptions,
  ExternalShardAllocationStrategy,
} from './allocation/external-shard-allocation-strategy.ts'
export {
  type LoadAwareOptions,
  LoadAwareAllocationStrategy,
} from './allocation/load-aware-allocation-strategy.ts'
export type { ShardLocations } from './allocation/shard-locations.ts'
export {
  ThresholdLeastShardAllocationStrategy,
  type ThresholdLeastShardOptions,
} from './allocation/threshold-least-shard-allocation-strategy.ts'
export type {
  AllocationRequest,
  Allocations,
  ClusterView,
  ExplainedHome,
  HomeChoice,
  KnownLoads,
  RebalanceRequest,
  ShardAllocationStrategy,
  ShardLoad,
  StrategyContext,
} from './allocation/shard-allocation-strategy.ts'
export type { ClusterSharding, InspectionOptions } from './cluster-sharding.ts'
export type { EntityContext, Passivate } from './entity-context.ts'
export type {
  KeyedDefinition,
  ProxyDefinition,
  RegionDefinition,
  ShardLeaseOptions,
} from './region-definition.ts'
export type { EntityRef } from './entity-ref.ts'
export type {
  ExternalShardAllocation,
  ShardLocationOptions,
  ShardLocationUpdate,
} from './external-shard-allocation.ts'
export { EntityTypeKey } from './entity-type-key.ts'
export type { EntityExplanation } from './explanation.ts'
export type {
  ClusterReport,
  DuplicateOwnership,
  FailedShard,
  HostingRegion,
  RegionReport,
  ShardMove,
  ShardMoveReason,
  ShardReport,
} from './inspection/reports.ts'
export type { RegionState } from './inspection/region-state.ts'
export {
  type ExtractorFunctions,
  HashCodeMessageExtractor,
  HashCodeNoEnvelopeMessageExtractor,
  type MessageExtractor,
  Murmur2MessageExtractor,
  Murmur2NoEnvelopeMessageExtractor,
  shardingEnvelope,
  type ShardingEnvelope,
} from './message-extractor.ts'
export {
  GetClusterStats,
  GetRegions,
  GetRegionState,
  GracefulShutdown,
  type RegionRequest,
} from './region-requests.ts'
export type {
  EntityAdmission,
  AdmissionWindow,
  FrequencySketchFilter,
  HillClimbingOptimizer,
  IdlePassivation,
  LimitedPassivation,
  Passivation,
  Replacement,
  ReplacementOptions,
  ReplacementPolicyName,
} from './passivation/passivation-options.ts'
export { SetActiveEntityLimit } from './passivation/set-active-entity-limit.ts'
export {
  type OpenRememberStore,
  type RememberedChange,
  type RememberedIds,
  type RememberStore,
  RememberStoreFailed,
  RememberStoreFenced,
  type RememberStoreOptions,
} from './remembering/remember-store.ts'
export type { Readiness, TypeReadiness } from './readiness.ts'
export type { EntityId, ShardId } from './shard-id.ts'
export type { ShardStop } from './shard-stop.ts'
export type {
  ShardingDeadLetterReason,
  ShardingDroppedReason,
  RegionDropReason,
  ShardDropReason,
} from './sharding-drop-reasons.ts'
export * from './sharding-errors.ts'
export * from './sharding-events.ts'
export { type ShardingSettings, defaultShardingSettings } from './sharding-settings.ts'
