/**
 * Who survives a split: the side with more members; of two equal sides the one with the lowest address. Both sides
 * decide alone and must decide alike, so where members may have come in or gone on the other side meanwhile, the answer
 * is to down everybody. A pure function of what one node sees.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { type Member, compareMembers, hasRole } from '../gossip/member.ts'
import type { ReachabilityRecord } from '../gossip/reachability.ts'
import { currentView } from './current-view.ts'
import { indirectlyConnectedIn } from './indirectly-connected.ts'

export interface SplitView {
  readonly members: readonly Member[]
  /** Members that somebody cannot reach. */
  readonly unreachable: ReadonlySet<NodeId>
  /** Who cannot reach whom, in detail. */
  readonly records: readonly ReachabilityRecord[]
  /** Who has seen the current gossip: unreachable and yet informed is not cut off. */
  readonly seenBy: ReadonlySet<NodeId>
}

export interface KeepMajorityOptions {
  readonly role: string | undefined
  /** Share of indirectly connected members from which everybody is downed; undefined for no such limit. */
  readonly indirectlyConnectedShareMax: number | undefined
}

export type DowningDecision =
  | 'DownUnreachable'
  | 'DownReachable'
  | 'DownAll'
  | 'DownIndirectlyConnected'

export interface Verdict {
  readonly decision: DowningDecision
  readonly nodes: ReadonlySet<NodeId>
}

export function keepMajority(given: SplitView, options: KeepMajorityOptions): Verdict {
  const view = currentView(given)
  const downable = view.members.filter(isDownable).map(({ node }) => node)
  const known = new Set(downable)
  const records = view.records.filter((r) => known.has(r.observer) && known.has(r.subject))
  const tangle = indirectlyConnectedIn(records, view.seenBy)
  if (tangle.all.size === 0) {
    const decision = decideBySize(view.members, view.unreachable, options.role)
    return { decision, nodes: nodesToDown(decision, downable, view.unreachable) }
  }

  const nodes = untangle({ ...view, records }, tangle, known, options)
  // One that is only joining is no cluster: alone it would make itself one, beside that which the others form anew.
  const isLeft = (member: Member): boolean =>
    member.status === 'Up' && hasRole(member, options.role) && !nodes.has(member.node)
  const decision: DowningDecision = 'DownIndirectlyConnected'
  return { decision, nodes: view.members.some(isLeft) ? nodes : known }
}

/** Who is downed when some reach others only over third ones. */
function untangle(
  { members, unreachable, records, seenBy }: SplitView,
  { inCycle, seen, all }: ReturnType<typeof indirectlyConnectedIn>,
  downable: ReadonlySet<NodeId>,
  { role, indirectlyConnectedShareMax: share }: KeepMajorityOptions,
): ReadonlySet<NodeId> {
  if (share !== undefined && all.size >= share * downable.size) return downable
  const isPlain = (node: NodeId) => unreachable.has(node) && !all.has(node)
  if (![...downable].some(isPlain)) return all

  // Besides the tangle there is a clean cut: decide on it as if the tangle were whole.
  const rest = records.filter(
    ({ observer, subject }) =>
      !(inCycle.has(observer) && inCycle.has(subject)) &&
      !(seen.has(observer) && seen.has(subject)),
  )
  if (indirectlyConnectedIn(rest, seenBy).all.size > 0) return downable
  const cut = new Set(rest.map(({ subject }) => subject))
  const more = nodesToDown(decideBySize(members, cut, role), [...downable], cut)
  return new Set([...all, ...more])
}

/** Whether a verdict is against the side on which `self` is. */
export function isAgainst(self: NodeId, { decision, nodes }: Verdict): boolean {
  if (decision === 'DownIndirectlyConnected') return nodes.has(self)
  return decision !== 'DownUnreachable'
}

export function isDownable({ status }: Member): boolean {
  return status === 'Joining' || status === 'Up' || status === 'Leaving'
}

function decideBySize(
  members: readonly Member[],
  unreachable: ReadonlySet<NodeId>,
  role: string | undefined,
): DowningDecision {
  const eligible = members.filter((member) => isDownable(member) && hasRole(member, role))
  const settled = eligible.filter(({ status }) => status !== 'Joining')
  if (settled.length === 0) return 'DownAll'
  const isCutOff = ({ node }: Member) => unreachable.has(node)
  const isHere = (member: Member) => !isCutOff(member)
  const plain = compareSides(settled.filter(isHere), settled.filter(isCutOff))
  if (plain === 'DownReachable') return plain

  // Over there a joining member may be Up by now, and here a leaving one may count as Exiting to them. One that we have
  // downed may be alive and well among them, as long as not everybody has heard of it; then it would be removed.
  const staying = settled.filter(({ status }) => status === 'Up')
  if (staying.length === 0) return 'DownAll'
  const downed = members.filter((m) => m.status === 'Down' && hasRole(m, role) && isCutOff(m))
  const cautious = compareCounts(
    staying.filter(isHere).length,
    eligible.filter(isCutOff).length + downed.length,
    isCutOff(lowestOf([...staying, ...downed])),
  )
  return cautious === plain ? plain : 'DownAll'
}

function compareSides(here: readonly Member[], there: readonly Member[]): DowningDecision {
  const lowest = lowestOf([...here, ...there])
  return compareCounts(here.length, there.length, there.includes(lowest))
}

function compareCounts(here: number, there: number, isLowestThere: boolean): DowningDecision {
  if (here === there) return isLowestThere ? 'DownReachable' : 'DownUnreachable'
  return here > there ? 'DownUnreachable' : 'DownReachable'
}

function lowestOf(members: readonly Member[]): Member {
  return members.reduce((lowest, member) => (compareMembers(member, lowest) < 0 ? member : lowest))
}

function nodesToDown(
  decision: DowningDecision,
  downable: readonly NodeId[],
  unreachable: ReadonlySet<NodeId>,
): Set<NodeId> {
  if (decision === 'DownUnreachable')
    return new Set(downable.filter((node) => unreachable.has(node)))
  if (decision === 'DownReachable')
    return new Set(downable.filter((node) => !unreachable.has(node)))
  return new Set(downable)
}
