/** What goes into the machine that watches other data centers and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Heartbeat, HeartbeatResponse } from '../cluster-messages.ts'
import type { Gossip } from '../gossip/gossip.ts'

export type FarHeartbeatInput =
  | { readonly type: 'ViewChanged'; readonly gossip: Gossip }
  | { readonly type: 'ConnectionRefused'; readonly node: NodeId }
  /** This process slept for so long: the silence of others was its own. */
  | { readonly type: 'Overslept'; readonly ms: number }
  | { readonly type: 'Tick' }
  | HeartbeatResponse

export type FarHeartbeatEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: Heartbeat }
  | { readonly type: 'Suspect'; readonly node: NodeId }
  /** It has answered; or it is not this node any more that has to say whether it does. */
  | { readonly type: 'Trust'; readonly node: NodeId }

export interface FarHeartbeatSnapshot {
  /** In other data centers. */
  readonly watched: readonly NodeId[]
  readonly suspected: readonly NodeId[]
}
