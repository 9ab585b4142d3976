/** What downing looks at, taken from the gossip. */
import type { NodeId } from '../../foundation/node-id.ts'
import { leaderOf, reachabilityThatCounts, unreachableMembers } from '../gossip/convergence.ts'
import type { Gossip } from '../gossip/gossip.ts'
import { recordsOf } from '../gossip/reachability.ts'
import type { SplitView } from './keep-majority.ts'

export interface DowningView extends SplitView {
  readonly leader: NodeId | undefined
}

export function downingViewOf(gossip: Gossip, self: NodeId): DowningView {
  return {
    members: gossip.members,
    unreachable: unreachableMembers(gossip, self),
    records: recordsOf(reachabilityThatCounts(gossip, self)),
    seenBy: new Set(gossip.seen),
    leader: leaderOf(gossip, self),
  }
}
