/**
 * Where shards go: the port. A strategy may answer at once or promise an answer. One that throws, hangs or answers what
 * cannot be harms nobody: the default strategy decides in its place, and a log line says so (`strategy-desk.ts`).
 */
import type { MemberStatus } from '../../cluster/index.ts'
import type { Environment } from '../../foundation/environment.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Journal } from '../../persistence/index.ts'
import type { ShardId } from '../shard-id.ts'

/** Shards of each region, in the order in which they were allocated. */
export type Allocations = ReadonlyMap<NodeId, readonly ShardId[]>

/** The members as the coordinator's node sees them. Who is not among them has been removed. */
export interface ClusterView {
  readonly members: ReadonlyMap<NodeId, MemberStatus>
  readonly unreachable: ReadonlySet<NodeId>
  /** What the application on each member calls its version; who is missing is of no version in particular. */
  readonly appVersions?: ReadonlyMap<NodeId, string>
}

/** What one shard has to do, as its homes have counted it lately. */
export interface ShardLoad {
  readonly messagesPerSecond: number
  /** Of the messages that came from other nodes: the size of others is not known. */
  readonly bytesPerSecond: number
}

/** Only of shards that were reported, and only where the strategy `usesLoads`. */
export type KnownLoads = ReadonlyMap<ShardId, ShardLoad>

export interface AllocationRequest {
  readonly shard: ShardId
  /** The region that asked; undefined when the coordinator itself wants the shard to live again. It may be a proxy. */
  readonly requester: NodeId | undefined
  /** Only regions that may take a shard. */
  readonly allocations: Allocations
  readonly cluster: ClusterView
  readonly loads?: KnownLoads
}

export interface RebalanceRequest {
  /** All regions that host, leaving ones included. */
  readonly allocations: Allocations
  /** Shards that are moving already, or are about to. */
  readonly inProgress: ReadonlySet<ShardId>
  readonly cluster: ClusterView
  readonly loads?: KnownLoads
}

/** A home, and why it is there: a short sentence for whoever looks for a shard. */
export interface ExplainedHome {
  readonly home: NodeId
  /** Cut after 200 characters. */
  readonly why: string
}

export type HomeChoice = NodeId | ExplainedHome

/** What a strategy is given when its coordinator starts. */
export interface StrategyContext {
  readonly entityType: string
  /** Of the coordinator. */
  readonly node: NodeId
  /** Time, chance and words to the operator: what a strategy should use, so that it can be simulated. */
  readonly environment: Environment
  /** The store that the nodes share. */
  readonly journal: Journal
}

export interface ShardAllocationStrategy {
  /** One of the regions in `allocations`, with or without the reason; undefined asks again later. */
  allocateShard(
    request: AllocationRequest,
  ): HomeChoice | undefined | Promise<HomeChoice | undefined>
  /** The shards that should leave their homes now; `allocateShard` says where they go. */
  rebalance(
    request: RebalanceRequest,
  ): readonly ShardId[] | ReadonlySet<ShardId> | Promise<readonly ShardId[] | ReadonlySet<ShardId>>
  /**
   * Called once when a coordinator starts, on its node alone: what is expensive belongs here and not into the constructor,
   * which runs on every node. While it has not settled nothing is asked, for at most `strategyTimeoutMs`: then the default
   * strategy decides. When it fails, the default strategy decides for the whole life of that coordinator.
   */
  start?(context: StrategyContext): void | Promise<void>
  /** Called once when that coordinator ends, also when `start` has not settled or has failed. */
  stop?(): void | Promise<void>
  /** Whether regions count what their shards have to do, and report it: `loads` of both requests. */
  readonly usesLoads?: boolean
  /**
   * Whether its rounds come to an end by themselves while nothing else changes. Then the next one follows as soon as the last
   * has ended; otherwise after `rebalanceIntervalMs`.
   */
  readonly settles?: boolean
}
