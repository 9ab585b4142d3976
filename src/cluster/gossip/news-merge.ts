/**
 * What becomes of a view when news arrives: records in which it is behind, with the changes they come from. The outcome is
 * that of `mergeGossip` with the whole view of the sender, as long as this view contains all changes that the sender did
 * not tell. Pure: nothing is taken over here.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { compareTexts } from '../../foundation/sorted-list.ts'
import { type Gossip, hasTombstone, memberOf, withMembers } from './gossip.ts'
import { type Member, givenUpNumber, isSameRecord, mergeMembers } from './member.ts'
import type { Change, News, RecordOrigin, Origins, RecordKind, Sourced } from './origins.ts'
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
  const tombstones = mergeTombstones(findings)
  const buried = new Set(tombstones)
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

function mergeTombstones(findings: Findings): readonly NodeId[] {
  const { ours, known, telling, origins } = findings
  const added = fresh(findings, telling.news.tombstones)
  const dropped = fresh(findings, telling.news.dropped)
  if (added.length + dropped.length === 0) return ours.tombstones
  const tombstones = new Set(ours.tombstones)
  for (const [node, origin] of dropped) {
    // One that the sender did not know of when it dropped others stays.
    const isMeant = known.get('tombstones', node)?.every(telling.includes) ?? true
    if (isMeant) tombstones.delete(node)
    if (isMeant) origins.push(['dropped', node, origin])
  }
  for (const [node, origin] of added) {
    tombstones.add(node)
    origins.push(['tombstones', node, origin])
  }
  return [...tombstones].sort(compareTexts)
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
    noteOrigin(findings, 'observers', theirs.observer, { origin, isTheirs, isOurs: !isTheirs })
    if (mine === undefined || theirs.version > mine.version) later.push(theirs)
  }
  return later
}

/**
 * Where one side has it as it is after the merge, the changes of that side stand for it: who has them knows enough. What
 * neither had needs both.
 */
function noteOrigin(
  { known, telling, origins, contested }: Findings,
  kind: RecordKind,
  node: NodeId,
  { origin, isTheirs, isOurs }: { origin: RecordOrigin; isTheirs: boolean; isOurs: boolean },
): void {
  if (isTheirs) {
    origins.push([kind, node, origin])
    return
  }
  const own = known.get(kind, node) ?? []
  if (own.every(telling.includes)) contested.push([kind, node])
  if (!isOurs) origins.push([kind, node, [...own, ...origin]])
}

/** Those with a change that we do not have. */
function fresh<Item>(
  { ours }: Findings,
  records: readonly Sourced<Item>[],
): readonly Sourced<Item>[] {
  const isKnown = ([by, count]: Change): boolean =>
    changesBy(ours.version, by) >= count || hasTombstone(ours, by)
  return records.filter(([, origin]) => !origin.every(isKnown))
}

function byNode(a: Change, b: Change): number {
  return compareTexts(a[0], b[0])
}
