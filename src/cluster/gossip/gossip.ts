/**
 * What one node knows about the whole cluster: an immutable value that travels and merges. Everything in it is sorted,
 * so that equal knowledge is equal bytes.
 *
 * Invariant: no member is `Removed` or has a tombstone; whoever has seen, observes or has an entry in the version is a
 * member; no member has a higher number than the last one given.
 */
import { assert } from '../../foundation/assert.ts'
import { type NodeId, compareNodes } from '../../foundation/node-id.ts'
import {
  compareTexts,
  findInSorted,
  indexInSorted,
  walkSorted,
} from '../../foundation/sorted-list.ts'
import { type Member, compareMembers, givenUpNumber, mergeMembers } from './member.ts'
import {
  type Reachability,
  allReachable,
  mergeReachability,
  observe,
  restrict,
  type ReachabilityStatus,
} from './reachability.ts'
import {
  type VectorClock,
  compareClocks,
  emptyClock,
  mergeClocks,
  pruneClock,
  tick,
} from './vector-clock.ts'

export interface Gossip {
  readonly members: readonly Member[]
  /** Who has seen exactly this version, in the order of the members. */
  readonly seen: readonly NodeId[]
  readonly reachability: Reachability
  readonly version: VectorClock
  /** Members that were removed and cannot come back. Since when, each node knows for itself (`graveyard.ts`). */
  readonly tombstones: readonly NodeId[]
  /** The highest number any member has ever had, so that none is given twice. */
  readonly lastUpNumber: number
  /** The whole cluster is about to be stopped: nobody comes in any more. Never taken back. */
  readonly isEnding: boolean
}

export const emptyGossip: Gossip = {
  members: [],
  seen: [],
  reachability: allReachable,
  version: emptyClock,
  tombstones: [],
  lastUpNumber: 0,
  isEnding: false,
}

export function memberOf(gossip: Gossip, node: NodeId): Member | undefined {
  return findInSorted(gossip.members, (member) => compareNodes(member.node, node))
}

/** Whether this node has seen exactly this version. */
export function hasSeen(gossip: Gossip, node: NodeId): boolean {
  return indexInSorted(gossip.seen, (other) => compareNodes(other, node)) >= 0
}

export function hasTombstone(gossip: Gossip, node: NodeId): boolean {
  return indexInSorted(gossip.tombstones, (other) => compareTexts(other, node)) >= 0
}

/**
 * Whether all who made this cluster are gone, and those left were only joining it. They do not go on with it: elsewhere a
 * new one may have been formed because nobody was Up any more.
 */
export function isOrphaned({ members, lastUpNumber }: Gossip): boolean {
  const isOutside = ({ status }: Member): boolean => status === 'Joining' || status === 'Down'
  return lastUpNumber > 0 && members.every(isOutside)
}

/** The gossip with this member in place of an earlier record of it. */
export function putMember(gossip: Gossip, member: Member): Gossip {
  return putMembers(gossip, [member])
}

/** The same with several, none of them twice. */
export function putMembers(gossip: Gossip, members: readonly Member[]): Gossip {
  if (members.length === 0) return gossip
  const lastUpNumber = members.reduce(
    (last, member) => Math.max(last, givenUpNumber(member)),
    gossip.lastUpNumber,
  )
  return checked({ ...gossip, members: withMembers(gossip.members, members), lastUpNumber })
}

/** The list with these in place of earlier records of them. */
export function withMembers(list: readonly Member[], members: readonly Member[]): Member[] {
  const news = [...members].sort(compareMembers)
  const next: Member[] = []
  walkSorted(list, news, compareMembers, (before, after) => next.push((after ?? before)!))
  return next
}

/** The gossip without these members, as member, as witness and as subject; they cannot come back. */
export function removeMembers(gossip: Gossip, nodes: ReadonlySet<NodeId>): Gossip {
  const members = gossip.members.filter(({ node }) => !nodes.has(node))
  return checked({
    ...gossip,
    members,
    seen: gossip.seen.filter((node) => !nodes.has(node)),
    reachability: restrict(gossip.reachability, nodesOf(members)),
    version: pruneClock(gossip.version, nodes),
    tombstones: mergeTombstones(gossip.tombstones, [...nodes]),
  })
}

export function dropTombstones(gossip: Gossip, nodes: ReadonlySet<NodeId>): Gossip {
  const kept = gossip.tombstones.filter((node) => !nodes.has(node))
  return kept.length === gossip.tombstones.length ? gossip : { ...gossip, tombstones: kept }
}

export function withObservation(
  gossip: Gossip,
  observer: NodeId,
  subject: NodeId,
  status: ReachabilityStatus,
): Gossip {
  const reachability = observe(gossip.reachability, observer, subject, status)
  return reachability === gossip.reachability ? gossip : checked({ ...gossip, reachability })
}

/** A change made by `node`: a new version, which nobody else has seen. Every change ends with this. */
export function changedBy(gossip: Gossip, node: NodeId): Gossip {
  return checked({ ...gossip, version: tick(gossip.version, node), seen: [] })
}

export function seenBy(gossip: Gossip, nodes: readonly NodeId[]): Gossip {
  const all = new Set(gossip.seen)
  for (const node of nodes) all.add(node)
  if (all.size === gossip.seen.length) return gossip
  const seen = gossip.members.map(({ node }) => node).filter((node) => all.has(node))
  assert(seen.length === all.size, 'gossip: a stranger has seen it')
  return { ...gossip, seen }
}

/**
 * Everything both sides know; seen by nobody yet. Only a tombstone takes a member away: a member that one side lacks
 * without one is news to that side.
 */
export function mergeGossip(a: Gossip, b: Gossip): Gossip {
  const tombstones = mergeTombstones(a.tombstones, b.tombstones)
  const gone = new Set(tombstones)
  const members = mergeMemberLists(a.members, b.members).filter(({ node }) => !gone.has(node))
  return checked({
    members,
    seen: [],
    reachability: mergeReachability(a.reachability, b.reachability, nodesOf(members)),
    version: pruneClock(mergeClocks(a.version, b.version), gone),
    tombstones,
    lastUpNumber: Math.max(a.lastUpNumber, b.lastUpNumber),
    isEnding: a.isEnding || b.isEnding,
  })
}

/**
 * The merge as `node` keeps it. Entries of removed nodes leave the version, so the merge may end with the version of
 * one side and more than its content; then it counts as a change, or the two would never be told apart.
 */
export function mergeConcurrent(ours: Gossip, theirs: Gossip, node: NodeId): Gossip {
  const merged = mergeGossip(ours, theirs)
  const isAmbiguous = [ours, theirs].some(
    (side) =>
      compareClocks(merged.version, side.version) === 'same' && !hasSameContent(merged, side),
  )
  return isAmbiguous ? changedBy(merged, node) : merged
}

export function hasSameContent(a: Gossip, b: Gossip): boolean {
  return contentOf(a) === contentOf(b)
}

/** Why this cannot be the gossip of a cluster; undefined when it can. */
export function brokenInvariantOf(gossip: Gossip): string | undefined {
  const nodes = nodesOf(gossip.members)
  const isMember = (node: NodeId) => nodes.has(node)
  if (gossip.members.some(({ status }) => status === 'Removed')) return 'a member is Removed'
  if (gossip.tombstones.some(isMember)) return 'a member has a tombstone'
  if (!gossip.seen.every(isMember)) return 'a stranger has seen it'
  if (!gossip.version.every(([node]) => isMember(node))) return 'a stranger is in the version'
  if (!gossip.reachability.every(({ observer }) => isMember(observer))) return 'a stranger observes'
  if (gossip.members.some((member) => givenUpNumber(member) > gossip.lastUpNumber))
    return 'a member has a number that was not given yet'
  return undefined
}

function checked(gossip: Gossip): Gossip {
  const broken = brokenInvariantOf(gossip)
  assert(broken === undefined, `gossip: ${broken}`)
  return gossip
}

function contentOf({ members, reachability, tombstones, lastUpNumber, isEnding }: Gossip): string {
  return JSON.stringify([members, reachability, tombstones, lastUpNumber, isEnding])
}

function nodesOf(members: readonly Member[]): Set<NodeId> {
  return new Set(members.map(({ node }) => node))
}

function mergeMemberLists(a: readonly Member[], b: readonly Member[]): Member[] {
  const merged: Member[] = []
  walkSorted(a, b, compareMembers, (inA, inB) => {
    merged.push(inA === undefined || inB === undefined ? (inA ?? inB)! : mergeMembers(inA, inB))
  })
  return merged
}

function mergeTombstones(a: readonly NodeId[], b: readonly NodeId[]): readonly NodeId[] {
  return [...new Set([...a, ...b])].sort(compareTexts)
}

export function exitingNodes({ members }: Pick<Gossip, 'members'>): NodeId[] {
  return members.filter(({ status }) => status === 'Exiting').map(({ node }) => node)
}
