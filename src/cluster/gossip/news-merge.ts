/**
 * What becomes of a view when news arrives: records in which it is behind, with the changes they come from. The outcome is
 * that of `mergeGossip` with the whole view of the sender, as long as this view contains all changes that the sender did
 * not tell. Pure: nothing is taken over here.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { compareTexts } from '../../foundation/sorted-list.ts'
import { type Gossip, hasTombstone, memberOf, withMembers } from './gossip.ts'
import { type Member, givenUpNumber, isSameRecord, mergeMembers } from './member.ts'
import {
  type Change,
  type News,
  originMax,
  type Origins,
  type RecordKind,
  type RecordOrigin,
  type Sourced,
} from './origins.ts'
import { type ObserverRows, restrict, rowsOf, withRows } from './reachability.ts'
import { type VectorClock, changesBy, mergeClocks } from './vector-clock.ts'

export interface Telling {
  readonly news: News
  /** The changes of members that the sender's version counts and ours may not, by those it names. */
  readonly changes: ReadonlyMap<NodeId, number>
  /** Whether the sender's version contains this change. */
  readonly includes: (change: Change) => boolean
}

export interface Merged {
  readonly gossip: Gossip
  readonly origins: readonly (readonly [kind: RecordKind, node: NodeId, origin: RecordOrigin])[]
  /** The sender claims to know what we know of these, and takes it back: somebody got it wrong, and what we know is kept. */
  readonly contested: readonly (readonly [kind: RecordKind, node: NodeId])[]
}

/** What is found out on the way. */
interface Findings {
  readonly ours: Gossip
  readonly known: Origins
  readonly telling: Telling
  readonly origins: [kind: RecordKind, node: NodeId, origin: RecordOrigin][]
  readonly contested: [kind: RecordKind, node: NodeId][]
}

export function mergeNews(ours: Gossip, known: Origins, telling: Telling): Merged {
  const findings: Findings = { ours, known, telling, origins: [], contested: [] }
  const { news } = telling
  const { tombstones, dropped } = mergeTombstones(findings)
  // One whose tombstone was dropped was removed before that, also where nobody heard of it.
  const buried = new Set([...tombstones, ...dropped])
  const changed = mergedMembers(findings, buried)
  const listed = changed.length === 0 ? ours.members : withMembers(ours.members, changed)
  const members =
    tombstones === ours.tombstones ? listed : listed.filter(({ node }) => !buried.has(node))
  const nodes = new Set(members.map(({ node }) => node))
  const later = laterRows(findings, nodes)
  const version = mergedVersion(ours, telling, nodes)
  const gossip: Gossip = {
    members,
    seen: [],
    reachability: restrict(withRows(ours.reachability, later), nodes),
    version,
    tombstones,
    lastUpNumber: Math.max(ours.lastUpNumber, news.lastUpNumber, ...changed.map(givenUpNumber)),
    isEnding: ours.isEnding || news.isEnding,
  }
  return { gossip, origins: findings.origins, contested: findings.contested }
}

function mergedVersion(
  { version }: Gossip,
  { changes }: Telling,
  nodes: ReadonlySet<NodeId>,
): VectorClock {
  const isMember = ([node]: Change): boolean => nodes.has(node)
  const later = [...changes].filter((c) => isMember(c) && c[1] > changesBy(version, c[0]))
  const merged = later.length === 0 ? version : mergeClocks(version, later.sort(byNode))
  return merged.every(isMember) ? merged : merged.filter(isMember)
}

interface Graves {
  readonly tombstones: readonly NodeId[]
  readonly dropped: readonly NodeId[]
}

function mergeTombstones(findings: Findings): Graves {
  const { ours, known, telling, origins } = findings
  const added = fresh(findings, telling.news.tombstones).filter(
    ([node, origin]) => !(isOfTheGone(findings, origin) && hasTombstone(ours, node)),
  )
  const dropped = fresh(findings, telling.news.dropped).filter(
    ([node, origin]) =>
      // One that the sender did not know of when it dropped others stays.
      (known.get('tombstones', node)?.every(telling.includes) ?? true) &&
      !(isOfTheGone(findings, origin) && isForgotten(ours, node)),
  )
  if (added.length + dropped.length === 0) return { tombstones: ours.tombstones, dropped: [] }
  const tombstones = new Set(ours.tombstones)
  for (const [node, origin] of dropped) {
    tombstones.delete(node)
    origins.push(['dropped', node, origin])
  }
  for (const [node, origin] of added) {
    tombstones.add(node)
    origins.push(['tombstones', node, origin])
  }
  const dropsOf = dropped.map(([node]) => node)
  return { tombstones: [...tombstones].sort(compareTexts), dropped: dropsOf }
}

function mergedMembers(findings: Findings, buried: ReadonlySet<NodeId>): Member[] {
  const { ours, telling } = findings
  const changed: Member[] = []
  for (const [theirs, origin] of fresh(findings, telling.news.members)) {
    if (buried.has(theirs.node)) continue
    const mine = memberOf(ours, theirs.node)
    const merged = mine === undefined ? theirs : mergeMembers(theirs, mine)
    const isTheirs = isSameRecord(merged, theirs)
    const isOurs = mine !== undefined && isSameRecord(merged, mine)
    noteOrigin(findings, 'members', theirs.node, { origin, isTheirs, isOurs })
    if (!isOurs) changed.push(merged)
  }
  return changed
}

function laterRows(findings: Findings, nodes: ReadonlySet<NodeId>): ObserverRows[] {
  const { ours, telling } = findings
  const later: ObserverRows[] = []
  for (const [theirs, origin] of fresh(findings, telling.news.observers)) {
    if (!nodes.has(theirs.observer)) continue
    const mine = rowsOf(ours.reachability, theirs.observer)
    const isTheirs = mine === undefined || theirs.version >= mine.version
    const isOurs = mine !== undefined && mine.version >= theirs.version
    noteOrigin(findings, 'observers', theirs.observer, { origin, isTheirs, isOurs })
    if (!isOurs) later.push(theirs)
  }
  return later
}

/**
 * Where one side has it as it is after the merge, the changes of that side stand for it: who has them knows enough. What
 * neither had needs both.
 */
function noteOrigin(
  findings: Findings,
  kind: RecordKind,
  node: NodeId,
  { origin, isTheirs, isOurs }: { origin: RecordOrigin; isTheirs: boolean; isOurs: boolean },
): void {
  const { known, telling, origins, contested } = findings
  // Changes of the gone are counted no more: what they did is of interest only where it is not known.
  if (isOurs && isOfTheGone(findings, origin)) return
  if (isTheirs) {
    origins.push([kind, node, origin])
    return
  }
  const own = known.get(kind, node) ?? []
  // Too many to be told: a change of ours stands for them.
  const isTooLong = own.length + origin.length > originMax
  if (own.every(telling.includes) || isTooLong) contested.push([kind, node])
  if (!isOurs) origins.push([kind, node, [...own, ...origin]])
}

/** Those with a change that we do not have, or cannot tell whether we have, since we count no changes of its maker. */
function fresh<Item>(
  { ours }: Findings,
  records: readonly Sourced<Item>[],
): readonly Sourced<Item>[] {
  const isKnown = ([by, count]: Change): boolean => changesBy(ours.version, by) >= count
  return records.filter(([, origin]) => !origin.every(isKnown))
}

function isOfTheGone({ ours }: Findings, origin: RecordOrigin): boolean {
  return origin.some(([by]) => hasTombstone(ours, by))
}

function isForgotten(ours: Gossip, node: NodeId): boolean {
  return !hasTombstone(ours, node) && memberOf(ours, node) === undefined
}

function byNode(a: Change, b: Change): number {
  return compareTexts(a[0], b[0])
}
