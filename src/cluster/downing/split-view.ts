/** What one node sees of a split, taken from the gossip: of its own data center, since others neither count nor are given up. */
import type { NodeId } from '../../foundation/node-id.ts'
import { leaderOf, reachabilityThatCounts, unreachableMembers } from '../gossip/convergence.ts'
import { neighboursOf } from '../gossip/data-center.ts'
import type { Gossip } from '../gossip/gossip.ts'
import type { Member } from '../gossip/member.ts'
import { type ReachabilityRecord, recordsOf } from '../gossip/reachability.ts'
import type { CleanCut } from './clean-cut.ts'

/** In it, `unreachable` are the members that somebody cannot reach: the cut may be none, or not clean. */
export interface SplitView extends CleanCut {
  /** Who cannot reach whom, in detail. */
  readonly records: readonly ReachabilityRecord[]
  /** Who has seen the current gossip: unreachable and yet informed is not cut off. */
  readonly seenBy: ReadonlySet<NodeId>
}

export interface DowningView extends SplitView {
  readonly leader: NodeId | undefined
}

export function downingViewOf(gossip: Gossip, self: NodeId): DowningView {
  return {
    members: neighboursOf(gossip, self),
    unreachable: unreachableMembers(gossip, self),
    records: recordsOf(reachabilityThatCounts(gossip, self)),
    seenBy: new Set(gossip.seen),
    leader: leaderOf(gossip, self),
  }
}

/** Those whose word counts when this node asks whether it is still one of them. */
export function electorateOf(gossip: Gossip, self: NodeId): Member[] {
  return neighboursOf(gossip, self).filter(
    ({ node, status }) => status === 'Up' || status === 'Leaving' || node === self,
  )
}
