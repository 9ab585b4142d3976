/** What goes into the machines of the coordinator and what comes out of them. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterView } from '../allocation/shard-allocation-strategy.ts'
import type { StrategyAnswer, StrategyQuestion } from '../allocation/strategy-questions.ts'
import type { ShardId } from '../shard-id.ts'
import type {
  BeginHandOffAck,
  GracefulShutdownReq,
  ShardStopped,
  ToCoordinator,
  ToRegion,
} from '../sharding-messages.ts'
import type { CoordinatorEvent } from './coordinator-state.ts'
import type { StoredDecisions } from './coordinator-store.ts'

/** `retry` and `rebalance` come again and again; a hand-off has one timer of its own. */
export type CoordinatorTimer = 'retry' | 'rebalance' | `hand-off/${ShardId}`

export type CoordinatorInput =
  /** The stored events have been replayed and the members are known. */
  | { readonly type: 'Started'; readonly cluster: ClusterView }
  /** A region whose node is missing from it has died. */
  | { readonly type: 'MembersChanged'; readonly cluster: ClusterView }
  /** The events of the last `Store` are safe. */
  | { readonly type: 'Stored' }
  | { readonly type: 'StrategyAnswered'; readonly ask: number; readonly answer: StrategyAnswer }
  | { readonly type: 'TimerFired'; readonly timer: CoordinatorTimer }
  | ToCoordinator

export interface SendToRegion {
  readonly type: 'Send'
  readonly to: NodeId
  readonly message: ToRegion
}

export type CoordinatorEffect =
  | SendToRegion
  /** Never two at a time. When it fails the coordinator must stop: a newer one may have stored. */
  | { readonly type: 'Store'; readonly events: readonly CoordinatorEvent[] }
  | { readonly type: 'StartTimer'; readonly timer: CoordinatorTimer; readonly delayMs: number }
  | { readonly type: 'CancelTimer'; readonly timer: CoordinatorTimer }
  /** Put the question to the strategy and bring back what it answers, with the same number. */
  | { readonly type: 'AskStrategy'; readonly ask: number; readonly question: StrategyQuestion }

// ---- one life of it: store, strategy, frozen or not

/** `store`: it has not answered. `strategy/N`: the question of that number was not answered. */
export type LifeTimer = CoordinatorTimer | 'store' | `strategy/${number}`

export type LifeInput =
  | { readonly type: 'Begun' }
  /** Answers `Load`. `isPreparing`: whether the region of this node has heard that the whole cluster is about to stop. */
  | ({
      readonly type: 'Loaded'
      readonly cluster: ClusterView
      readonly isPreparing?: boolean
    } & StoredDecisions)
  /** What `Load` or `Store` came to, as far as anybody can tell. */
  | { readonly type: 'StoreFailed'; readonly error: unknown }
  | { readonly type: 'FreezeChanged'; readonly isFrozen: boolean }
  | { readonly type: 'FromRegion'; readonly message: ToCoordinator }
  | { readonly type: 'TimerFired'; readonly timer: LifeTimer }
  | Extract<CoordinatorInput, { readonly type: 'MembersChanged' | 'Stored' | 'StrategyAnswered' }>

export type LifeEffect =
  | { readonly type: 'Load' }
  /** From now on regions may speak to it. */
  | { readonly type: 'Serve'; readonly term: number }
  | {
      readonly type: 'AskStrategy'
      readonly strategy: 'chosen' | 'default'
      readonly ask: number
      readonly question: StrategyQuestion
    }
  | { readonly type: 'StartTimer'; readonly timer: LifeTimer; readonly delayMs: number }
  | { readonly type: 'CancelTimer'; readonly timer: LifeTimer }
  | Extract<CoordinatorEffect, { readonly type: 'Send' | 'Store' }>
  /** It is over: stop, and let the next one look. */
  | { readonly type: 'GiveUp'; readonly reason: GiveUpReason }

export type GiveUpReason =
  | { readonly type: 'StoreFailed'; readonly error: unknown }
  | { readonly type: 'StoreSilent' }
  /** There was something to store, and the node was frozen. */
  | { readonly type: 'NodeFrozen' }
  /** What is stored counts shards by another number than this node knows; the region of this node must not go on. */
  | {
      readonly type: 'OtherNumberOfShards'
      readonly term: number
      /** A member that lives by it, if there is one. */
      readonly region: NodeId | undefined
      readonly numberOfShards: number
      /** It is the least that can be said of a store that does not say it itself. */
      readonly isLeast: boolean
    }

// ---- which shards move

export type RebalanceInput =
  /** Somebody wants these to be stopped: as many at a time as the limit allows. */
  | { readonly type: 'StopWanted'; readonly shards: readonly ShardId[] }
  /** The strategy wants these shards elsewhere. */
  | { readonly type: 'Chosen'; readonly shards: readonly ShardId[] }
  /** The members have changed: what was chosen among others, and is not under way, stays where it is. */
  | { readonly type: 'Reconsider' }
  | { readonly type: 'RegionRemoved'; readonly region: NodeId }
  | { readonly type: 'Repeat' }
  /** What ended has been noted: there may be room for the next. */
  | { readonly type: 'Continue' }
  | { readonly type: 'TimedOut'; readonly shard: ShardId }
  | GracefulShutdownReq
  | BeginHandOffAck
  | ShardStopped

export type RebalanceEffect =
  | CoordinatorEffect
  /** This life of the shard is over: it may live elsewhere. */
  | { readonly type: 'Moved'; readonly shard: ShardId; readonly epoch: number }
  /** The hand-off was given up; the home must be told again, whatever it is doing. */
  | { readonly type: 'Stayed'; readonly shard: ShardId; readonly epoch: number }

// ---- one shard moves

export type HandOffInput =
  | { readonly type: 'Begun' }
  | { readonly type: 'RegionRemoved'; readonly region: NodeId }
  /** Messages may have been lost; whoever has not answered is told again. */
  | { readonly type: 'Repeat' }
  | { readonly type: 'TimedOut' }
  | BeginHandOffAck
  | ShardStopped

export type HandOffEffect = SendToRegion | { readonly type: 'Finish'; readonly moved: boolean }
