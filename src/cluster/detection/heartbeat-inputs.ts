/** What goes into the heartbeat machine and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { HeartbeatMessage } from '../cluster-messages.ts'

export type HeartbeatInput =
  /** Who is a member now, the node itself included, and to whom nobody listens. */
  | {
      readonly type: 'MembersChanged'
      readonly members: readonly NodeId[]
      readonly unheard: ReadonlySet<NodeId>
    }
  /** Nobody listens at the address of this node: its process is gone, or a firewall answers for it. */
  | { readonly type: 'ConnectionRefused'; readonly node: NodeId }
  /** This process slept: the silence of that time was our own. */
  | { readonly type: 'Overslept'; readonly ms: number }
  | { readonly type: 'Tick' }
  | HeartbeatMessage

export type HeartbeatEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: HeartbeatMessage }
  | { readonly type: 'Suspect'; readonly node: NodeId }
  | { readonly type: 'Trust'; readonly node: NodeId }

export interface HeartbeatSnapshot {
  readonly receivers: readonly NodeId[]
  readonly suspected: readonly NodeId[]
  readonly phi: (node: NodeId, now: number) => number
}
