/**
 * What the cluster room tells the rest of the node, and in which order: removed members first, then the other member
 * events, then unreachable, reachable, the same of data centers, leader. Events about reachability are about members of the
 * node's own data center, and never about the node itself.
 */
import type { NodeId } from '../foundation/node-id.ts'
import { walkSorted } from '../foundation/sorted-list.ts'
import { leaderOf, unreachableMembers } from './gossip/convergence.ts'
import { areApart, dataCentersIn, unreachableDataCenters } from './gossip/data-center.ts'
import { type Gossip, memberOf } from './gossip/gossip.ts'
import { type Member, type MemberStatus, compareMembers } from './gossip/member.ts'

export type MemberEventType =
  | 'MemberJoined'
  | 'MemberUp'
  | 'MemberLeft'
  | 'MemberExited'
  | 'MemberDowned'

/** A member has reached a status: Joining, Up, Leaving, Exiting, Down, in the order of the types. */
export interface MemberChanged {
  readonly type: MemberEventType
  readonly member: Member
}

/** A member is gone for good: whatever lived on it may live elsewhere. */
export interface MemberRemoved {
  readonly type: 'MemberRemoved'
  readonly member: Member
  readonly previousStatus: MemberStatus
}

/** Somebody who counts cannot reach this member, or everybody can again. */
export interface ReachabilityChanged {
  readonly type: 'UnreachableMember' | 'ReachableMember'
  readonly member: Member
}

/**
 * Another data center: no member of it is in reach of those who speak for this one, or some are again. Each goes on for itself;
 * nobody is given up for it.
 */
export interface DataCenterReachabilityChanged {
  readonly type: 'UnreachableDataCenter' | 'ReachableDataCenter'
  readonly dataCenter: string
}

/** Of the node's own data center. */
export interface LeaderChanged {
  readonly type: 'LeaderChanged'
  readonly leader: NodeId | undefined
}

/**
 * On the smaller side of a split, or out of touch with most others; asleep too long; given up; not shown by the store for long
 * that this founding of the cluster is the one that lives; or out of touch with some while the store, which may have decided
 * against this node, does not answer.
 */
export type FreezeReason = 'minority' | 'paused' | 'downed' | 'founding' | 'store'

/** Nothing may be delivered to entities and singletons on this node until `Thawed`. */
export interface Frozen {
  readonly type: 'Frozen'
  readonly reason: FreezeReason
}

export interface Thawed {
  readonly type: 'Thawed'
}

/**
 * The whole cluster is about to be stopped (`PreparingForShutdown`), and every member knows it (`ReadyForShutdown`): nobody is let
 * in any more, and members may be stopped in any order.
 */
export interface ShutdownPreparation {
  readonly type: 'PreparingForShutdown' | 'ReadyForShutdown'
}

/** The last word about others: after it only the node's own removal follows. */
export interface ClusterShuttingDown {
  readonly type: 'ClusterShuttingDown'
}

export type ClusterEvent =
  | MemberChanged
  | MemberRemoved
  | ReachabilityChanged
  | DataCenterReachabilityChanged
  | LeaderChanged
  | Frozen
  | Thawed
  | ShutdownPreparation
  | ClusterShuttingDown

const eventOfStatus: readonly (readonly [MemberStatus, MemberEventType])[] = [
  ['Joining', 'MemberJoined'],
  ['Up', 'MemberUp'],
  ['Leaving', 'MemberLeft'],
  ['Exiting', 'MemberExited'],
  ['Down', 'MemberDowned'],
]

/** Who looks at the gossip. */
export interface EventView {
  readonly self: NodeId
  /** Of those who speak for a data center. */
  readonly connections: number
}

/** The events that lead from one gossip to the next, as `self` sees them. */
export function eventsBetween(before: Gossip, after: Gossip, view: EventView): ClusterEvent[] {
  const { self } = view
  const endings =
    after.isEnding && !before.isEnding ? [{ type: 'PreparingForShutdown' } as const] : []
  // Only more have seen it: most of what changes in a large cluster is of this kind.
  if (before.members === after.members && before.reachability === after.reachability) return endings
  return [
    ...removals(before, after),
    ...memberChanges(before, after),
    ...reachabilityChanges(before, after, self),
    ...dataCenterChanges(before, after, view),
    ...leaderChange(before, after, self),
    ...endings,
  ]
}

export function removalOf(member: Member): MemberRemoved {
  return {
    type: 'MemberRemoved',
    member: { ...member, status: 'Removed' },
    previousStatus: member.status,
  }
}

function removals(before: Gossip, after: Gossip): ClusterEvent[] {
  const removed: Member[] = []
  walkSorted(before.members, after.members, compareMembers, (was, is) => {
    if (is === undefined) removed.push(was!)
  })
  return removed.map(removalOf)
}

function memberChanges(before: Gossip, after: Gossip): ClusterEvent[] {
  const changed: Member[] = []
  walkSorted(before.members, after.members, compareMembers, (was, is) => {
    if (is !== undefined && is.status !== was?.status) changed.push(is)
  })
  if (changed.length === 0) return []
  return eventOfStatus.flatMap(([status, type]) =>
    changed.filter((member) => member.status === status).map((member) => ({ type, member })),
  )
}

function reachabilityChanges(before: Gossip, after: Gossip, self: NodeId): ClusterEvent[] {
  const wasUnreachable = unreachableMembers(before, self)
  const isUnreachable = unreachableMembers(after, self)
  if (wasUnreachable.size + isUnreachable.size === 0) return []
  const news = (type: 'UnreachableMember' | 'ReachableMember', isNews: (node: NodeId) => boolean) =>
    after.members.filter(({ node }) => isNews(node)).map((member) => ({ type, member }))
  // One that is Down is not listened to any more, not even by itself: nobody has come back by that.
  const isDown = memberOf(after, self)?.status === 'Down'
  return [
    ...news('UnreachableMember', (node) => isUnreachable.has(node) && !wasUnreachable.has(node)),
    ...news(
      'ReachableMember',
      (node) => !isDown && wasUnreachable.has(node) && !isUnreachable.has(node),
    ),
  ]
}

/** One that has no members any more is neither. */
function dataCenterChanges(
  before: Gossip,
  after: Gossip,
  { self, connections }: EventView,
): ClusterEvent[] {
  if (!areApart(before.members) && !areApart(after.members)) return []
  const were = unreachableDataCenters(before, self, connections)
  const are = unreachableDataCenters(after, self, connections)
  const there = dataCentersIn(after.members)
  const news = (
    type: DataCenterReachabilityChanged['type'],
    isNews: (dataCenter: string) => boolean,
  ) => there.filter(isNews).map((dataCenter) => ({ type, dataCenter }))
  return [
    ...news('UnreachableDataCenter', (each) => are.has(each) && !were.has(each)),
    ...news('ReachableDataCenter', (each) => were.has(each) && !are.has(each)),
  ]
}

function leaderChange(before: Gossip, after: Gossip, self: NodeId): ClusterEvent[] {
  const leader = leaderOf(after, self)
  return leader === leaderOf(before, self) ? [] : [{ type: 'LeaderChanged', leader }]
}
