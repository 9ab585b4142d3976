/** What goes into the cluster machine of a node and what comes out of it. */
import type { Random } from '../foundation/random.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'
import type { ClusterEvent, FreezeReason } from './cluster-events.ts'
import type { ClusterMessage } from './cluster-messages.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { HeartbeatSnapshot } from './detection/heartbeat-inputs.ts'
import type { PauseSnapshot } from './detection/pause-inputs.ts'
import type { ArbiterAnswered, AskArbiter, DowningSnapshot } from './downing/downing-inputs.ts'
import type { DowningStrategy } from './downing/downing-strategy.ts'
import type { JoiningSnapshot } from './joining/joining-inputs.ts'
import type { MembershipSnapshot } from './membership-inputs.ts'
import type { SharedStore } from './joining/shared-store.ts'

export type ClusterInput =
  | { readonly type: 'JoinSeeds'; readonly seeds: readonly Address[] }
  | { readonly type: 'JoinNode'; readonly address: Address }
  | { readonly type: 'Leave'; readonly node: NodeId }
  | { readonly type: 'Down'; readonly nodes: readonly NodeId[] }
  | { readonly type: 'ExitingDone' }
  /** Nobody listens at this address. */
  | { readonly type: 'ConnectionRefused'; readonly address: Address }
  /** Another incarnation answers at the address of this one. */
  | { readonly type: 'IncarnationReplaced'; readonly node: NodeId }
  /** A member has given this node up, and told it so. */
  | { readonly type: 'Quarantined'; readonly by: Address }
  /** There is no sense in trying to join any longer. */
  | { readonly type: 'StopJoining'; readonly problems: readonly string[] }
  /** Comes before every other input, and when there was none for a while: the process may have slept. */
  | { readonly type: 'Look'; readonly wallMs: number }
  /** Every `tickIntervalMs`. */
  | { readonly type: 'Tick' }
  | ArbiterAnswered
  | ClusterMessage

export type ClusterEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: ClusterMessage }
  /** To whoever lives at this address. */
  | { readonly type: 'SendToAddress'; readonly to: Address; readonly message: ClusterMessage }
  | { readonly type: 'Publish'; readonly event: ClusterEvent }
  | AskArbiter
  /** Hand over what lives here, then say `ExitingDone`. */
  | { readonly type: 'BeginExiting' }
  | {
      readonly type: 'ShutDown'
      readonly reason: ShutDownReason
      readonly problems: readonly string[]
    }

export type ShutDownReason = 'leaving' | 'downing' | 'join-failed' | 'incompatible-config'

/**
 * Who holds the node frozen. `silence`: others against whom it would lose have not answered of late, and
 * may be about to act without us.
 * `doubted`: the node is Exiting and somebody cannot reach it, so that it may be removed unconfirmed.
 */
export type FreezeCause = FreezeReason | 'silence' | 'doubted'

export interface ClusterOptions {
  readonly self: NodeId
  readonly roles: readonly string[]
  readonly appVersion: string
  readonly settings: ClusterSettings
  readonly strategy: DowningStrategy
  /** Of a node that hosts entities. */
  readonly store?: SharedStore | undefined
  readonly random: Random
}

export interface ClusterSnapshot {
  readonly joining: JoiningSnapshot
  readonly membership: MembershipSnapshot
  readonly heartbeat: HeartbeatSnapshot
  readonly downing: DowningSnapshot
  readonly pause: PauseSnapshot
  readonly frozen: readonly FreezeCause[]
}
