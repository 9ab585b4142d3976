/** Where shards go. A strategy may answer at once or promise an answer; the coordinator copes with both. */
import type { MemberStatus } from '../../cluster/index.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'

/** Shards of each region, in the order in which they were allocated. */
export type Allocations = ReadonlyMap<NodeId, readonly ShardId[]>

/** The members as the coordinator's node sees them. Who is not among them has been removed. */
export interface ClusterView {
  readonly members: ReadonlyMap<NodeId, MemberStatus>
  readonly unreachable: ReadonlySet<NodeId>
}

export interface AllocationRequest {
  readonly shard: ShardId
  /** The region that asked; undefined when the coordinator itself wants the shard to live again. */
  readonly requester: NodeId | undefined
  /** Only regions that may take a shard. */
  readonly allocations: Allocations
  readonly cluster: ClusterView
}

export interface RebalanceRequest {
  /** All regions that host, leaving ones included. */
  readonly allocations: Allocations
  /** Shards that are moving already. */
  readonly inProgress: ReadonlySet<ShardId>
  readonly cluster: ClusterView
}

export interface ShardAllocationStrategy {
  /** One of the regions in `allocations`; undefined asks again later. */
  allocateShard(request: AllocationRequest): NodeId | undefined | Promise<NodeId | undefined>
  /** The shards that should leave their homes now. */
  rebalance(request: RebalanceRequest): readonly ShardId[] | Promise<readonly ShardId[]>
}
