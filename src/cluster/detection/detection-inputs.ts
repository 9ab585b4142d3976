/** What goes into the machine of signs of life and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Heartbeat, HeartbeatResponse } from '../cluster-messages.ts'
import type { Gossip } from '../gossip/gossip.ts'
import type { FarHeartbeatSnapshot } from './far-heartbeat-inputs.ts'
import type { HeartbeatEffect, HeartbeatSnapshot } from './heartbeat-inputs.ts'
import type { TouchSnapshot } from './touch-inputs.ts'

export type DetectionInput =
  | {
      readonly type: 'ViewChanged'
      readonly gossip: Gossip
      /** The member of this data center that decides which side goes on, where one does. */
      readonly decisive: NodeId | undefined
    }
  | Heartbeat
  | HeartbeatResponse
  | { readonly type: 'ConnectionRefused'; readonly node: NodeId }
  | { readonly type: 'Overslept'; readonly ms: number }
  | { readonly type: 'Tick' }
  /** After a tick, when what came of it is known: whoever is in doubt asks others. */
  | { readonly type: 'AskAround' }

export type DetectionEffect = HeartbeatEffect

export interface DetectionSnapshot {
  readonly heartbeat: HeartbeatSnapshot
  readonly touch: TouchSnapshot
  readonly farHeartbeat: FarHeartbeatSnapshot
}
