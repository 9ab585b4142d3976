/** What a member does with a request to join. A pure function of its gossip. */
import { type NodeId, addressOfNode } from '../../foundation/node-id.ts'
import type { Join } from '../cluster-messages.ts'
import { type Gossip, hasTombstone, isOrphaned, memberOf, putMember } from '../gossip/gossip.ts'
import { buryMembers } from '../gossip/member-changes.ts'
import { type Member, addressOfMember, joiningMember } from '../gossip/member.ts'

export interface Admission {
  /**
   * `admitted`: a new member. `known`: its welcome was lost. `replaces`: it has to come again when its former incarnation
   * is removed. `refused`: no answer.
   */
  readonly outcome: 'admitted' | 'known' | 'replaces' | 'refused'
  readonly gossip: Gossip
}

export function admit(gossip: Gossip, self: NodeId, join: Join): Admission {
  const { from } = join
  const refused: Admission = { outcome: 'refused', gossip }
  if (!canAdmit(gossip, self) || hasTombstone(gossip, from)) return refused
  const known = memberOf(gossip, from)
  if (known !== undefined) return maySpeak(known) ? { outcome: 'known', gossip } : refused
  if (addressOfNode(from) === addressOfNode(self)) return refused

  if (incarnationsBesides(gossip, from).length === 0) {
    return { outcome: 'admitted', gossip: putMember(gossip, joiningMember(from, join)) }
  }
  return { outcome: 'replaces', gossip: buryFormerIncarnations(gossip, self, from) }
}

/**
 * Whoever joined a cluster whose makers are all gone would only wait there with those who are left; and one that is about to
 * be stopped takes nobody along.
 */
export function canAdmit(gossip: Gossip, self: NodeId): boolean {
  return maySpeak(memberOf(gossip, self)) && !isOrphaned(gossip) && !gossip.isEnding
}

/** Members that may speak for the cluster. */
export function maySpeak(member: Member | undefined): boolean {
  return member !== undefined && member.status !== 'Down' && member.status !== 'Exiting'
}

/** A living incarnation on an address proves that all others on it are dead: Terminated and Down, from any status. */
export function buryFormerIncarnations(gossip: Gossip, self: NodeId, living: NodeId): Gossip {
  const former = incarnationsBesides(gossip, living).map(({ node }) => node)
  return buryMembers(gossip, self, former)
}

function incarnationsBesides(gossip: Gossip, living: NodeId): Member[] {
  const address = addressOfNode(living)
  return gossip.members.filter((m) => m.node !== living && addressOfMember(m) === address)
}
