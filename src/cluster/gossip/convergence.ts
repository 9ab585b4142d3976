/**
 * Questions about a gossip as one node sees it: whom nobody reaches, whether everybody who counts knows this version,
 * and who leads. There is no election: every node computes the leader, each side of a split its own. What keeps that
 * safe is that a leader acts on convergence only.
 *
 * Each data center for itself: who counts, who is out of reach and who leads is asked of the members of the viewer's own, and
 * by their word. Its leader changes the records of its own members only, so that the leaders of two may act at once: their
 * changes are of different records, and merge.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { areApart, neighboursOf } from './data-center.ts'
import { type Gossip, hasSeen, memberOf } from './gossip.ts'
import { type Member, type MemberStatus, compareMembers } from './member.ts'
import {
  type Reachability,
  allReachable,
  restrict,
  unreachableOrTerminated,
  withoutObservers,
} from './reachability.ts'

const nobody: ReadonlySet<NodeId> = new Set()

const leaderRanks: Readonly<Record<MemberStatus, number>> = {
  Up: 0,
  Leaving: 0,
  Joining: 1,
  Exiting: 2,
  Down: 3,
  Removed: 4,
}

/** What keeps this version from being agreed upon; both empty when it is. */
export interface Disagreement {
  readonly unseenBy: readonly NodeId[]
  readonly unreachable: readonly NodeId[]
}

/**
 * The reachability that counts for this viewer. Members on their way out are not listened to: nobody can be downed to end
 * their quarrel with a healthy member, and they need not reach it any more. Only one that is Exiting itself heeds the
 * others that are: it gives nobody up, and freezes the sooner.
 */
export function reachabilityThatCounts(gossip: Gossip, self: NodeId): Reachability {
  const heard = heardReachability(gossip, self)
  if (!areApart(gossip.members)) return heard
  return restrict(heard, new Set(neighboursOf(gossip, self).map(({ node }) => node)))
}

function heardReachability(gossip: Gossip, self: NodeId): Reachability {
  if (gossip.reachability.every(({ rows }) => rows.length === 0)) return allReachable
  const isExiting = memberOf(gossip, self)?.status === 'Exiting'
  const isUnheard = ({ status }: Member) =>
    status === 'Down' || (status === 'Exiting' && !isExiting)
  const unheard = gossip.members.filter(isUnheard).map(({ node }) => node)
  return withoutObservers(gossip.reachability, new Set(unheard))
}

/** Members that somebody who counts cannot reach; never the viewer itself. */
export function unreachableMembers(gossip: Gossip, self: NodeId): Set<NodeId> {
  const unreachable = unreachableOrTerminated(reachabilityThatCounts(gossip, self))
  unreachable.delete(self)
  return unreachable
}

/** The same, and members of other data centers that somebody of this one cannot reach. */
export function unreachableFromHere(gossip: Gossip, self: NodeId): Set<NodeId> {
  const near = unreachableMembers(gossip, self)
  if (!areApart(gossip.members)) return near
  const neighbours = new Set(neighboursOf(gossip, self).map(({ node }) => node))
  for (const { observer, rows } of heardReachability(gossip, self)) {
    if (!neighbours.has(observer)) continue
    for (const { subject } of rows) if (!neighbours.has(subject)) near.add(subject)
  }
  return near
}

/**
 * Whether this node is Exiting and somebody cannot reach it. The leader removes such a member after a while
 * although it has not confirmed, and what still lives on it would be started elsewhere.
 */
export function isExitDoubted(gossip: Gossip, self: NodeId): boolean {
  return memberOf(gossip, self)?.status === 'Exiting' && isDoubted(gossip, self)
}

/** Whether somebody who counts for it cannot reach this node. It may be about to be given up. */
export function isDoubted(gossip: Gossip, node: NodeId): boolean {
  return unreachableOrTerminated(reachabilityThatCounts(gossip, node)).has(node)
}

export function hasConverged(
  gossip: Gossip,
  self: NodeId,
  exitingConfirmed: ReadonlySet<NodeId> = nobody,
): boolean {
  const { unseenBy, unreachable } = disagreementIn(gossip, self, exitingConfirmed)
  return unseenBy.length === 0 && unreachable.length === 0
}

/** Why there is no convergence, for the machine and for people. */
export function disagreementIn(
  gossip: Gossip,
  self: NodeId,
  exitingConfirmed: ReadonlySet<NodeId> = nobody,
): Disagreement {
  const seen = new Set(gossip.seen)
  const unseenBy = mustSeeIn(gossip, self).filter(
    ({ node }) => !seen.has(node) && !exitingConfirmed.has(node),
  )
  const unreachable = [...unreachableMembers(gossip, self)].filter(
    (node) => !exitingConfirmed.has(node) && !isOnItsWayOut(memberOf(gossip, node)),
  )
  return { unseenBy: unseenBy.map(({ node }) => node), unreachable: unreachable.sort() }
}

/** Whether every member that counts has seen this version, wherever it is. */
export function isKnownEverywhere(gossip: Gossip, self: NodeId): boolean {
  const seen = new Set(gossip.seen)
  return (
    hasConverged(gossip, self) &&
    gossip.members.every((member) => !isUpOrLeaving(member) || seen.has(member.node))
  )
}

/** Whether the leader waits for nothing but that more members see this version. */
export function isWaitedFor(gossip: Gossip, self: NodeId): boolean {
  const { unseenBy, unreachable } = disagreementIn(gossip, self)
  return unreachable.length === 0 && unseenBy.length > 0
}

/** The member that acts for all of the data center; undefined when every one is Down. */
export function leaderOf(gossip: Gossip, self: NodeId): NodeId | undefined {
  const unreachable = unreachableMembers(gossip, self)
  let leader: Member | undefined
  for (const member of neighboursOf(gossip, self)) {
    if (member.status === 'Down' || unreachable.has(member.node)) continue
    // Of equals the first one: members are in the order of leadership.
    if (leader === undefined || leaderRanks[member.status] < leaderRanks[leader.status]) {
      leader = member
    }
  }
  return leader?.node
}

/** The two that would lead best, `self` aside; of other data centers where nobody else is left in its own. */
export function bestLeaders(gossip: Gossip, self: NodeId): NodeId[] {
  const unreachable = unreachableMembers(gossip, self)
  const isAble = ({ node, status }: Member): boolean =>
    status !== 'Down' && !unreachable.has(node) && node !== self
  const near = neighboursOf(gossip, self).filter(isAble)
  return (near.length > 0 ? near : gossip.members.filter(isAble))
    .sort(compareForLeading)
    .slice(0, 2)
    .map(({ node }) => node)
}

/** Whether every other member that is Down knows it, or is out of reach. */
export function knowsEveryDowned(gossip: Gossip, self: NodeId): boolean {
  const downed = neighboursOf(gossip, self).filter(
    ({ node, status }) => status === 'Down' && node !== self,
  )
  if (downed.length === 0) return true
  const cutOff = unreachableMembers(gossip, self)
  return downed.every(({ node }) => cutOff.has(node) || hasSeen(gossip, node))
}

export function compareForLeading(a: Member, b: Member): number {
  return leaderRanks[a.status] - leaderRanks[b.status] || compareMembers(a, b)
}

/**
 * Those without whom there is no convergence. In a data center in which nobody is Up yet, they are all others besides: so
 * whoever lets the first one in knows of everybody, and is known to them.
 */
function mustSeeIn(gossip: Gossip, self: NodeId): readonly Member[] {
  const neighbours = neighboursOf(gossip, self)
  const isNew = neighbours !== gossip.members && !neighbours.some(isUpOrLeaving)
  if (!isNew) return neighbours.filter(isUpOrLeaving)
  return [
    ...gossip.members.filter(isUpOrLeaving),
    ...neighbours.filter(({ status }) => status === 'Joining'),
  ]
}

function isUpOrLeaving({ status }: Member): boolean {
  return status === 'Up' || status === 'Leaving'
}

function isOnItsWayOut(member: Member | undefined): boolean {
  return member === undefined || member.status === 'Down' || member.status === 'Exiting'
}
