/**
 * What people and tools can see of an entity type in the whole cluster. All of it is plain data: it survives
 * `JSON.stringify`, and what is not known is not there.
 */
import type { Address, NodeId } from '../../foundation/node-id.ts'
import type { EntityId, ShardId } from '../shard-id.ts'

/** One shard at its home. */
export interface ShardReport {
  readonly shard: ShardId
  /** Which life of the shard this is: of two, the later one counts. */
  readonly epoch: number
  /** `running`, `stopping`, or what else the home says. */
  readonly phase: string
  /** Entities that run, or for which messages wait: the same that `entityIds` lists. */
  readonly entities: number
  /** Where ids were asked for: the first of them, at most 1,000 per region. */
  readonly entityIds?: readonly EntityId[]
}

/** A shard that should live there, and of which nothing was heard. It is not empty; nobody knows. */
export interface FailedShard {
  readonly shard: ShardId
  readonly reason: string
}

/** One region that hosts. */
export interface RegionReport {
  readonly node: NodeId
  readonly address: Address
  /** Why it has not answered; it is there when nothing else is known of it. */
  readonly problem?: string
  readonly phase?: string
  readonly isFrozen?: boolean
  /** Messages that wait there for a home. */
  readonly buffered: number
  /** Of all its shards that have answered. */
  readonly entities: number
  readonly shards: readonly ShardReport[]
  readonly failed: readonly FailedShard[]
}

/** One shard, or one entity, that lives at two homes at once: what must never be. */
export interface DuplicateOwnership {
  readonly shard: ShardId
  /** When it is one entity that is in two shards: the extractors of two nodes differ. */
  readonly entityId?: EntityId
  readonly owners: readonly { readonly node: NodeId; readonly epoch: number }[]
}

/** One entity type in the whole cluster, as far as it has answered. */
export interface ClusterReport {
  readonly entityType: string
  readonly coordinator?: NodeId
  /** Why this may not be all: no coordinator has said which regions there are, so members were asked. */
  readonly problem?: string
  /** Sorted by node. Proxies are none of them. */
  readonly regions: readonly RegionReport[]
  readonly duplicates: readonly DuplicateOwnership[]
  readonly counts: {
    readonly regions: number
    readonly regionsFailed: number
    /** Those that have answered and those that have not. */
    readonly shards: number
    readonly shardsFailed: number
    readonly entities: number
  }
}

/** One region that hosts, and its shards in the order of allocation. */
export interface HostingRegion {
  readonly region: NodeId
  readonly shards: readonly ShardId[]
}

/** One change of the home of a shard, as its coordinator has seen it. */
export interface ShardMove {
  /** Its home before; not known of the first, nor when an earlier coordinator saw it. */
  readonly from?: NodeId
  readonly to: NodeId
  readonly epoch: number
  readonly why: ShardMoveReason
  readonly agoMs: number
}

/** `first-use`: it had no home, as far as this coordinator knows. */
export type ShardMoveReason = 'first-use' | 'rebalance' | 'leaving' | 'home-gone'
