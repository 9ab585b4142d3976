/** A split into two sides that do not reach each other: what a strategy decides on, and who goes by its decision. */
import type { NodeId } from '../../foundation/node-id.ts'
import { type Gossip, memberOf } from '../gossip/gossip.ts'
import { type Member, compareMembers } from '../gossip/member.ts'

export interface CleanCut {
  readonly members: readonly Member[]
  /** The members of the other side. */
  readonly unreachable: ReadonlySet<NodeId>
  /** Nobody of this side reaches anybody of the other one (`lost-by-all.ts`); left out where that is not known. */
  readonly isLostByAll?: boolean
}

/** Who goes: the other side, our own, or both. */
export type CutDecision = 'DownUnreachable' | 'DownReachable' | 'DownAll'

export function isDownable({ status }: Member): boolean {
  return status === 'Joining' || status === 'Up' || status === 'Leaving'
}

/** Whether a split that this node is part of would have to be decided. */
export function isMemberDownable(gossip: Gossip, node: NodeId): boolean {
  const member = memberOf(gossip, node)
  return member !== undefined && isDownable(member)
}

/** The rule for ties: of two sides that weigh the same, the one with the lowest address lives on. */
export function keepLowest(
  members: readonly Member[],
  unreachable: ReadonlySet<NodeId>,
): CutDecision {
  const lowest = members.reduce((low, member) => (compareMembers(member, low) < 0 ? member : low))
  return unreachable.has(lowest.node) ? 'DownReachable' : 'DownUnreachable'
}

export function nodesToDown(
  decision: CutDecision,
  downable: ReadonlySet<NodeId>,
  unreachable: ReadonlySet<NodeId>,
): ReadonlySet<NodeId> {
  if (decision === 'DownAll') return downable
  const goes = decision === 'DownUnreachable'
  return new Set([...downable].filter((node) => unreachable.has(node) === goes))
}
