/** What goes into the gossip machine and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { GossipMessage } from '../cluster-messages.ts'
import type { Gossip } from './gossip.ts'
import type { PackedOrigins } from './packed-origins.ts'

export type GossipInput =
  /** The first view, as the welcome brought it. */
  | {
      readonly type: 'Adopt'
      readonly gossip: Gossip
      readonly origins: PackedOrigins
      readonly tell: readonly NodeId[]
    }
  /** This node has changed something; `tell` hear of it first, whoever else is told. */
  | { readonly type: 'Change'; readonly gossip: Gossip; readonly tell: readonly NodeId[] }
  /** This node may be removed now, and says again what it has seen. */
  | { readonly type: 'ExitingDone' }
  /** Tell some, whoever they are: this node will not be there much longer. */
  | { readonly type: 'Spread' }
  | { readonly type: 'Tick' }
  | GossipMessage

export interface GossipEffect {
  readonly type: 'Send'
  readonly to: NodeId
  readonly message: GossipMessage
}
