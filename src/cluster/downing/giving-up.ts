/** Who is believed when it says that it has given this node up. */
import type { Address, NodeId } from '../../foundation/node-id.ts'
import { reachabilityThatCounts } from '../gossip/convergence.ts'
import { neighboursOf } from '../gossip/data-center.ts'
import type { Gossip } from '../gossip/gossip.ts'
import { addressOfMember } from '../gossip/member.ts'
import type { DowningStrategy } from './downing-strategy.ts'

/**
 * Whether the member at this address may say that it has given us up. One that is on its way out, or that too many
 * members cannot reach, gives up everybody in the end, and must not take the healthy with it. Nor does one of another data
 * center decide about us.
 */
export function mayGiveUp(
  gossip: Gossip,
  { self, by }: { readonly self: NodeId; readonly by: Address },
  strategy: DowningStrategy,
): boolean {
  const members = neighboursOf(gossip, self)
  const member = members.find((m) => m.status === 'Up' && addressOfMember(m) === by)
  if (member === undefined) return false
  const blaming = reachabilityThatCounts(gossip, member.node).filter(({ rows }) =>
    rows.some(({ subject }) => subject === member.node),
  )
  const nodes = new Set(members.map(({ node }) => node))
  for (const { observer } of blaming) nodes.delete(observer)
  const poll = { self: member.node, electorate: members, answered: nodes, left: nodes }
  // Of the members alone: whether the record has given that one up, it finds out itself.
  return strategy.weigh({ ...poll, isShown: true }) === 'vouched'
}
