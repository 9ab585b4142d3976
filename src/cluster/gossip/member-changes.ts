/** Changes that any node may make to the list of members. Each gives back the same gossip when there is nothing to change. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Standing } from '../cluster-messages.ts'
import { isDoubted } from './convergence.ts'
import { type Gossip, hasTombstone, memberOf, putMembers, withObservation } from './gossip.ts'
import { type MemberStatus, canBecome, withStatus } from './member.ts'
import type { ReachabilityStatus } from './reachability.ts'

/** The members among `nodes` that can still go there, as going there. */
export function moveMembers(
  gossip: Gossip,
  nodes: readonly NodeId[],
  status: MemberStatus,
): Gossip {
  const moved = [...new Set(nodes)].flatMap((node) => {
    const member = memberOf(gossip, node)
    return member !== undefined && canBecome(member.status, status)
      ? [withStatus(member, status)]
      : []
  })
  return putMembers(gossip, moved)
}

/** The gossip with these as dead, by the word of `self`: Terminated and Down, from any status. */
export function buryMembers(gossip: Gossip, self: NodeId, nodes: readonly NodeId[]): Gossip {
  const dead = nodes.filter((node) => node !== self && memberOf(gossip, node) !== undefined)
  return dead.reduce(
    (next, node) => withObservation(next, self, node, 'Terminated'),
    moveMembers(gossip, dead, 'Down'),
  )
}

/** The gossip of a cluster that is about to be stopped. */
export function ending(gossip: Gossip): Gossip {
  return gossip.isEnding ? gossip : { ...gossip, isEnding: true }
}

/** What a node has found out about another member. */
export interface Observation {
  readonly node: NodeId
  readonly status: ReachabilityStatus
}

/** The gossip with an observation by `self`. */
export function noteReachability(
  gossip: Gossip,
  self: NodeId,
  { node, status }: Observation,
): Gossip {
  if (node === self || memberOf(gossip, node) === undefined) return gossip
  return withObservation(gossip, self, node, status)
}

/** What a node is to whoever has this gossip. */
export function standingOf(gossip: Gossip, node: NodeId): Standing['standing'] {
  const member = memberOf(gossip, node)
  if (member === undefined) return hasTombstone(gossip, node) ? 'removed' : 'stranger'
  if (member.status === 'Down') return 'down'
  return isDoubted(gossip, node) ? 'doubted' : 'member'
}
