/**
 * Sharding: entities grouped into shards, and every shard at home on one node at a time.
 *
 * Reading order: `cluster-sharding.ts` (the door), `entity-ref.ts`, `sharding-messages.ts` (who says what), `coordinator/`
 * (who gives shards their homes, and moves them), `region/` (where messages go, and which shards live here), `shard/` (the
 * entities of one shard), `allocation/` (which home is best). In each, the machine decides and its shell acts
 * (`coordinator-actor.ts`, `region.ts`, `shard.ts`); `coordinator-store.ts` is the port to where homes are stored;
 * `running-type.ts` puts them together.
 *
 * Promises: a shard has at most one home; a home is told only after it was stored; per sender and entity, messages arrive
 * in the order in which they were sent, also across moves; what is not delivered is dropped with a reason.
 */
export {
  LeastShardAllocationStrategy,
  type LeastShardOptions,
} from './allocation/least-shard-allocation-strategy.ts'
export type {
  AllocationRequest,
  Allocations,
  ClusterView,
  RebalanceRequest,
  ShardAllocationStrategy,
} from './allocation/shard-allocation-strategy.ts'
export type { ClusterSharding, RegionState } from './cluster-sharding.ts'
export type { EntityContext, Passivate } from './entity-context.ts'
export type { KeyedDefinition, ProxyDefinition, RegionDefinition } from './region-definition.ts'
export type { EntityRef } from './entity-ref.ts'
export { EntityTypeKey } from './entity-type-key.ts'
export type { EntityExplanation } from './explanation.ts'
export {
  HashCodeMessageExtractor,
  HashCodeNoEnvelopeMessageExtractor,
  type MessageExtractor,
  type ShardingEnvelope,
} from './message-extractor.ts'
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
