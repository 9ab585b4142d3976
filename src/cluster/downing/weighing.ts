/** Whether a node that slept or was cut off may go on, by how many of the members say so. */
import type { NodeId } from '../../foundation/node-id.ts'
import { type Member, hasRole } from '../gossip/member.ts'
import type { DowningStrategy } from './downing-strategy.ts'

/** Vouched for by as many as are needed of so many voters; the node itself is one of them. */
export function weighByCount(
  role: string | undefined,
  needed: (voters: number) => number,
): DowningStrategy['weigh'] {
  return ({ self, electorate, answered, left }) => {
    // Where nobody has the role, everybody counts.
    const counts = (member: Member): boolean =>
      hasRole(member, role) || !electorate.some((each) => hasRole(each, role))
    const others = electorate.filter((member) => member.node !== self && counts(member))
    const own = electorate.find(({ node }) => node === self)
    // A node that does not count itself cannot outvote those who do.
    const ownVote = own === undefined || counts(own) ? 1 : 0
    const need = needed(others.length + ownVote)
    const areEnough = (nodes: ReadonlySet<NodeId>): boolean =>
      others.filter(({ node }) => nodes.has(node)).length + ownVote >= need
    return areEnough(answered) ? 'vouched' : areEnough(left) ? 'open' : 'hopeless'
  }
}

/** More than half. */
export function majorityOf(voters: number): number {
  return Math.floor(voters / 2) + 1
}
