/** What goes into the membership machine and what comes out of it. */
import type { Random } from '../foundation/random.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { ClusterEvent } from './cluster-events.ts'
import type { ClusterMessage, MembershipMessage, Standing } from './cluster-messages.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { DeparturePhase } from './departure-inputs.ts'
import type { Gossip } from './gossip/gossip.ts'
import type { MemberDescription } from './gossip/member.ts'
import type { Observation } from './gossip/member-changes.ts'
import type { Joined } from './joining/joining-inputs.ts'

export type MembershipInput =
  /** There is no cluster to be found: be the first member of a new one. */
  | { readonly type: 'FormCluster' }
  | Joined
  /** Ask a member, or the node itself, to leave in good order. */
  | { readonly type: 'Leave'; readonly node: NodeId }
  /** Give members up: they are dead, or have to be. */
  | { readonly type: 'Down'; readonly nodes: readonly NodeId[] }
  /** The whole cluster is about to be stopped. */
  | { readonly type: 'PrepareForShutdown' }
  /** These have been proved dead. */
  | { readonly type: 'Died'; readonly nodes: readonly NodeId[] }
  | { readonly type: 'ExitingDone' }
  /** A member that may say so has given this node up. */
  | { readonly type: 'GivenUp' }
  | (Observation & { readonly type: 'Observed' })
  | { readonly type: 'Tick' }
  | MembershipMessage
  | Standing

export type MembershipEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: ClusterMessage }
  | { readonly type: 'Publish'; readonly event: ClusterEvent }
  /** Hand over what lives here, then say `ExitingDone`. */
  | { readonly type: 'BeginExiting' }
  | { readonly type: 'ShutDown'; readonly reason: 'leaving' | 'downing' }

export interface MembershipOptions extends MemberDescription {
  readonly self: NodeId
  readonly settings: ClusterSettings
  readonly random: Random
  /** False while others may have given this node up: whoever came in by it then would go on when it ends. */
  readonly mayLetIn?: (() => boolean) | undefined
  /** Told of every view with which a step ends, where it has changed. */
  readonly viewed?: ((view: Gossip) => void) | undefined
}

export interface MembershipSnapshot {
  readonly phase: 'outside' | DeparturePhase
  readonly gossip: Gossip
  /** The cluster ends, and everybody was seen to know it. */
  readonly isReady: boolean
  /** Members that have told this node that they are done with exiting. */
  readonly exitingConfirmed: readonly NodeId[]
}
