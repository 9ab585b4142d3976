/** What goes into the coordinator and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterView } from '../allocation/shard-allocation-strategy.ts'
import type { StrategyAnswer, StrategyQuestion } from '../allocation/strategy-questions.ts'
import type { ShardId } from '../shard-id.ts'
import type { ToCoordinator, ToRegion } from '../sharding-messages.ts'
import type { CoordinatorEvent } from './coordinator-state.ts'

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
