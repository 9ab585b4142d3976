/**
 * What becomes of a split as one node sees it. Members that some reach and others do not are found here and go in any
 * case; what is a clean cut is for the strategy. A pure function.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { type Member, hasRole } from '../gossip/member.ts'
import { type CutDecision, isDownable, nodesToDown } from './clean-cut.ts'
import { currentView } from './current-view.ts'
import type { DowningStrategy, ArbiterQuestion } from './downing-strategy.ts'
import { type IndirectlyConnected, indirectlyConnectedIn } from './indirectly-connected.ts'
import { isLostByAll } from './lost-by-all.ts'
import type { SplitView } from './split-view.ts'

export interface JudgeOptions {
  readonly strategy: DowningStrategy
  readonly role: string | undefined
  /** Share of indirectly connected members from which everybody is downed; undefined for no such limit. */
  readonly indirectlyConnectedShareMax: number | undefined
}

export type DowningDecision = CutDecision | 'DownIndirectlyConnected'

export interface Verdict {
  readonly decision: DowningDecision
  readonly nodes: ReadonlySet<NodeId>
}

/** There is no verdict before the arbiter has decided on the cut. */
export interface PendingVerdict extends ArbiterQuestion {
  readonly verdictBy: (decision: CutDecision) => Verdict
}

export type Judgement = Verdict | PendingVerdict

export function judge(given: SplitView, options: JudgeOptions): Judgement {
  const view = currentView(given)
  const downable = new Set(view.members.filter(isDownable).map(({ node }) => node))
  const records = view.records.filter((r) => downable.has(r.observer) && downable.has(r.subject))
  const tangle = indirectlyConnectedIn(records, view.seenBy)
  if (tangle.all.size > 0) return untangle({ ...view, records }, tangle, downable, options)
  const cut = { ...view, isLostByAll: isLostByAll(view) }
  return judgementBy(options.strategy.decide(cut), (decision) => ({
    decision,
    nodes: nodesToDown(decision, downable, view.unreachable),
  }))
}

export function isPending(judgement: Judgement): judgement is PendingVerdict {
  return 'question' in judgement
}

/** Whether a verdict is against the side on which `self` is. */
export function isAgainst(self: NodeId, { decision, nodes }: Verdict): boolean {
  if (decision === 'DownIndirectlyConnected') return nodes.has(self)
  return decision !== 'DownUnreachable'
}

export function isSameJudgement(a: Judgement | undefined, b: Judgement | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  if (isPending(a) && isPending(b)) {
    const isSameFor = (decision: CutDecision): boolean =>
      isSameJudgement(a.verdictBy(decision), b.verdictBy(decision))
    return a.question === b.question && isSameFor('DownUnreachable') && isSameFor('DownReachable')
  }
  if (isPending(a) || isPending(b) || a.decision !== b.decision) return false
  return a.nodes.size === b.nodes.size && [...a.nodes].every((node) => b.nodes.has(node))
}

function judgementBy(
  decision: CutDecision | ArbiterQuestion,
  verdictBy: (decision: CutDecision) => Verdict,
): Judgement {
  return typeof decision === 'string' ? verdictBy(decision) : { ...decision, verdictBy }
}

/** Who is downed when some reach others only over third ones. */
function untangle(
  { members, unreachable, records, seenBy }: SplitView,
  { inCycle, seen, all }: IndirectlyConnected,
  downable: ReadonlySet<NodeId>,
  { strategy, role, indirectlyConnectedShareMax: share }: JudgeOptions,
): Judgement {
  const down = (nodes: ReadonlySet<NodeId>): Verdict => {
    // One that is only joining is no cluster: alone it would make itself one, beside that which the others form anew.
    const isLeft = (member: Member): boolean =>
      member.status === 'Up' && hasRole(member, role) && !nodes.has(member.node)
    const left = members.filter(isLeft)
    const areEnough = left.length > 0 && (strategy.areEnough?.(left) ?? true)
    return { decision: 'DownIndirectlyConnected', nodes: areEnough ? nodes : downable }
  }
  if (share !== undefined && all.size >= share * downable.size) return down(downable)
  const within = records.filter((r) => all.has(r.observer) && all.has(r.subject))
  const tangle = { members, records: within, all }
  // Elsewhere not every broken pair is known.
  const going = share === undefined ? (strategy.chooseFrom?.(tangle) ?? all) : all
  const isPlain = (node: NodeId) => unreachable.has(node) && !all.has(node)
  if (![...downable].some(isPlain)) {
    const decision = strategy.decideTangle?.(tangle) ?? 'DownUnreachable'
    return judgementBy(decision, (each) => down(each === 'DownUnreachable' ? going : downable))
  }

  // Besides the tangle there is a clean cut: decide on it as if the tangle were whole.
  const rest = records.filter(
    ({ observer, subject }) =>
      !(inCycle.has(observer) && inCycle.has(subject)) &&
      !(seen.has(observer) && seen.has(subject)),
  )
  if (indirectlyConnectedIn(rest, seenBy).all.size > 0) return down(downable)
  const cut = new Set(rest.map(({ subject }) => subject))
  return judgementBy(strategy.decide({ members, unreachable: cut }), (decision) =>
    down(new Set([...going, ...nodesToDown(decision, downable, cut)])),
  )
}
