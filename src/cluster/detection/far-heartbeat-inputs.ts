/** What goes into the machine that watches other data centers and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { HeartbeatResponse } from '../cluster-messages.ts'
import type { Gossip } from '../gossip/gossip.ts'
import type { HeartbeatEffect } from './heartbeat-inputs.ts'

export type FarHeartbeatInput =
  | { readonly type: 'ViewChanged'; readonly gossip: Gossip }
  | { readonly type: 'ConnectionRefused'; readonly node: NodeId }
  /** This process slept for so long: the silence of others was its own. */
  | { readonly type: 'Overslept'; readonly ms: number }
  | { readonly type: 'Tick' }
  | HeartbeatResponse

/** `Trust`: it has answered; or it is not this node any more that has to say whether it does. */
export type FarHeartbeatEffect = HeartbeatEffect

export interface FarHeartbeatSnapshot {
  /** In other data centers. */
  readonly watched: readonly NodeId[]
  readonly suspected: readonly NodeId[]
}
