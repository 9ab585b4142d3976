/** What goes into the machine of a leader and what comes out of it. */
import type { NodeId } from '../foundation/node-id.ts'
import type { ExitingConfirmed } from './cluster-messages.ts'
import type { Gossip } from './gossip/gossip.ts'

export type LeaderInput =
  | {
      readonly type: 'Look'
      readonly gossip: Gossip
      readonly overdueTombstones: ReadonlySet<NodeId>
      /** Whether whoever is joining may come in now; true when not given. */
      readonly mayLetIn?: boolean
    }
  | ExitingConfirmed

export type LeaderEffect =
  | { readonly type: 'Change'; readonly gossip: Gossip; readonly tell: readonly NodeId[] }
  | { readonly type: 'TellRemoved'; readonly node: NodeId }

export interface LeaderSnapshot {
  readonly exitingConfirmed: readonly NodeId[]
  readonly unreachableSince: ReadonlyMap<NodeId, number>
}
