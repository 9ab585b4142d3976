/**
 * Data centers: parts of one cluster that each have their own leader, their own splits and their own singletons, and go on
 * without each other. A member is in one for its whole life; the default one is not written down, so that a cluster with one
 * data center says and stores what it always did. Pure questions about members.
 *
 * Invariant: what a data center decides about its members, it decides by the word of its own members alone.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { type Gossip, memberOf } from './gossip.ts'
import { type Member, compareAges, defaultDataCenter } from './member.ts'
import { restrict, statusOfPair, unreachableOrTerminated } from './reachability.ts'

/** What can be the name of one: it stands in names of streams and leases. */
export function isDataCenterName(given: unknown): given is string {
  return typeof given === 'string' && /^[A-Za-z0-9][\w.-]{0,62}$/.test(given)
}

export function dataCenterOf(member: Pick<Member, 'dataCenter'> | undefined): string {
  return member?.dataCenter ?? defaultDataCenter
}

/** As a member says it of itself: nothing for the default one. */
export function describedDataCenter(dataCenter: string): Pick<Member, 'dataCenter'> {
  return dataCenter === defaultDataCenter ? {} : { dataCenter }
}

/** Whether they are in more than one. */
export function areApart(members: readonly Member[]): boolean {
  const first = members[0]?.dataCenter
  return members.some(({ dataCenter }) => dataCenter !== first)
}

/** The members of the data center that this node is in; the list itself where there is one only. */
export function neighboursOf(gossip: Gossip, node: NodeId): readonly Member[] {
  const { members } = gossip
  if (!areApart(members)) return members
  const own = dataCenterOf(memberOf(gossip, node))
  return members.filter((member) => dataCenterOf(member) === own)
}

export function isNeighbour(gossip: Gossip, a: NodeId, b: NodeId): boolean {
  return dataCenterOf(memberOf(gossip, a)) === dataCenterOf(memberOf(gossip, b))
}

/** All data centers that have members, in order. */
export function dataCentersIn(members: readonly Member[]): string[] {
  return [...new Set(members.map(dataCenterOf))].sort()
}

/**
 * The few of a data center that talk with others: its oldest members, and whoever else there is while it has too few of them.
 * One that is on its way out only speaks where nobody else is left.
 */
export function speakersOf(
  members: readonly Member[],
  dataCenter: string,
  count: number,
): readonly Member[] {
  const isLast = ({ status }: Member): number => (status === 'Exiting' ? 1 : 0)
  return members
    .filter((member) => dataCenterOf(member) === dataCenter && member.status !== 'Down')
    .sort((a, b) => isLast(a) - isLast(b) || compareAges(a, b))
    .slice(0, count)
}

/** Whether this node is one of those. */
export function isSpeaker(gossip: Gossip, node: NodeId, count: number): boolean {
  const own = dataCenterOf(memberOf(gossip, node))
  return speakersOf(gossip.members, own, count).some((member) => member.node === node)
}

/**
 * Nobody is left in it who could lead: what is still there, the others have to bury. It is theirs to say only then.
 */
export function isAbandoned(members: readonly Member[], dataCenter: string): boolean {
  return members.every(
    (member) =>
      dataCenterOf(member) !== dataCenter ||
      member.status === 'Down' ||
      member.status === 'Exiting',
  )
}

/**
 * Other data centers to which there is no way, as far as is known here: at least half of those who speak for this one reach none of
 * those who speak for it. Not all, since some may only have begun to speak, and have not said yet whom they reach. Speakers that
 * their own data center cannot reach do not count; where all are given up, nobody is there to be reached.
 */
export function unreachableDataCenters(
  gossip: Gossip,
  self: NodeId,
  connections: number,
): ReadonlySet<string> {
  const { members, reachability } = gossip
  if (!areApart(members)) return new Set()
  const own = dataCenterOf(memberOf(gossip, self))
  const neighbours = new Set(neighboursOf(gossip, self).map(({ node }) => node))
  const cutOff = unreachableOrTerminated(restrict(reachability, neighbours))
  const ours = speakersOf(members, own, connections).filter(
    ({ node }) => node === self || !cutOff.has(node),
  )
  const isUnreachable = (dataCenter: string): boolean => {
    const theirs = speakersOf(members, dataCenter, connections)
    if (theirs.length === 0) return true
    const reachNone = ours.filter((a) =>
      theirs.every((b) => statusOfPair(reachability, a.node, b.node) !== 'Reachable'),
    )
    return reachNone.length > 0 && reachNone.length * 2 >= ours.length
  }
  return new Set(dataCentersIn(members).filter((each) => each !== own && isUnreachable(each)))
}
