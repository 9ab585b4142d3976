/**
 * Why the members have not agreed on one view of the cluster, so that nobody is let in or removed: who stands in the way, and
 * what becomes of it. For people and for programs: plain data, all of which JSON can carry. A pure function of what one
 * node knows.
 */
import { formatMs } from '../foundation/duration.ts'
import { type Address, type NodeId, addressOfNode } from '../foundation/node-id.ts'
import type { ClusterSnapshot } from './cluster-inputs.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { disagreementIn, leaderOf, reachabilityThatCounts } from './gossip/convergence.ts'
import { areApart, neighboursOf } from './gossip/data-center.ts'
import { memberOf } from './gossip/gossip.ts'
import type { MemberStatus } from './gossip/member.ts'
import { recordsOf } from './gossip/reachability.ts'
import { type MissingMembers, missingInWords, missingMembers } from './joining/forming.ts'

/** A member that keeps the others from agreeing. */
export interface ConvergenceBlocker {
  readonly node: NodeId
  readonly address: Address
  readonly status: MemberStatus
  /** `unreachable`: members cannot reach it, and it is not given up. `unseen`: it has not confirmed the latest view. */
  readonly reason: 'unreachable' | 'unseen'
  /** Who cannot reach it. */
  readonly unreachableFrom: readonly NodeId[]
}

export interface ConvergenceExplanation {
  /** The node that says so. */
  readonly node: NodeId
  /** All members that count have seen the same view, and nobody is out of reach. */
  readonly isConverged: boolean
  /** Who lets in and removes; null where nobody can. */
  readonly leader: NodeId | null
  readonly blockers: readonly ConvergenceBlocker[]
  /** What a cluster that is being formed waits for besides. */
  readonly missing: readonly {
    readonly role: string | null
    readonly wanted: number
    readonly there: number
  }[]
  readonly isFrozen: boolean
  /** When the leader of this side gives up who cannot be reached, if nothing changes until then; null when nobody is to be. */
  readonly decidesInMs: number | null
  /** All of it in sentences. */
  readonly text: string
}

export interface ConvergenceView {
  readonly self: NodeId
  readonly snapshot: ClusterSnapshot
  readonly settings: ClusterSettings
  readonly now: number
}

export function explainConvergence(view: ConvergenceView): ConvergenceExplanation {
  const { self, snapshot, settings } = view
  const { gossip } = snapshot.membership
  const isInside = gossip.members.length > 0
  const blockers = blockersIn(view)
  const missing = isInside ? missingMembers(gossip, settings) : []
  const explanation = {
    node: self,
    isConverged: isInside && blockers.length === 0,
    leader: leaderOf(gossip, self) ?? null,
    blockers,
    missing: missing.map(({ role, ...rest }) => ({ role: role ?? null, ...rest })),
    isFrozen: snapshot.frozen.length > 0,
    decidesInMs: decidesInMs(view),
  }
  return { ...explanation, text: inWords(explanation, missing, snapshot) }
}

function blockersIn({ self, snapshot }: ConvergenceView): ConvergenceBlocker[] {
  const { gossip, exitingConfirmed } = snapshot.membership
  const { unseenBy, unreachable } = disagreementIn(gossip, self, new Set(exitingConfirmed))
  const records = recordsOf(reachabilityThatCounts(gossip, self))
  const blocker = (node: NodeId, reason: ConvergenceBlocker['reason']): ConvergenceBlocker => ({
    node,
    address: addressOfNode(node),
    status: memberOf(gossip, node)?.status ?? 'Removed',
    reason,
    unreachableFrom: records.filter((r) => r.subject === node).map(({ observer }) => observer),
  })
  // Who cannot be reached cannot confirm either: the reason is one.
  const silent = unseenBy.filter((node) => !unreachable.includes(node))
  return [
    ...unreachable.map((node) => blocker(node, 'unreachable')),
    ...silent.map((node) => blocker(node, 'unseen')),
  ]
}

function decidesInMs({ snapshot, now }: ConvergenceView): number | null {
  const { actsAt } = snapshot.downing
  return actsAt === undefined || !Number.isFinite(actsAt)
    ? null
    : Math.max(0, Math.round(actsAt - now))
}

function inWords(
  explanation: Omit<ConvergenceExplanation, 'text'>,
  missing: readonly MissingMembers[],
  snapshot: ClusterSnapshot,
): string {
  if (snapshot.membership.gossip.members.length === 0) {
    const { joining, discovery, founding } = snapshot
    const troubles = [joining, discovery, founding].flatMap((part) => part?.troubles ?? [])
    const why = joining.phase === 'idle' ? ['nobody has told it to join one'] : troubles
    return [`This node is not in a cluster`, ...why].join('; ') + '.'
  }
  const { blockers, leader, isFrozen } = explanation
  const sentences = [
    blockers.length === 0
      ? `All members agree${leader === null ? '' : `; ${addressOfNode(leader)} leads`}.`
      : `The members do not agree on one view yet, and until they do nobody is let in or removed.`,
    ...blockers.map(blockerInWords),
    ...(missing.length === 0
      ? []
      : [`The cluster is being formed: ${missing.map(missingInWords).join('; ')}.`]),
    ...(isLeftToPeople(explanation, snapshot)
      ? [
          'Nobody who is up in the data center of this node can be reached. If they are dead, say so with `cluster.down`: until then nobody is let in there.',
        ]
      : decisionInWords(explanation, snapshot)),
    ...(isFrozen ? [`This node is frozen (${snapshot.frozen.join(', ')}).`] : []),
  ]
  return sentences.join(' ')
}

function blockerInWords({ address, status, reason, unreachableFrom }: ConvergenceBlocker): string {
  if (reason === 'unreachable') {
    const observers = unreachableFrom.map(addressOfNode).join(', ')
    return `${address} (${status}) cannot be reached from ${observers}.`
  }
  return `${address} (${status}) has not confirmed the latest view: it is behind, or busy.`
}

/** Only who is up in a data center gives others up there, and other data centers do not do it for them. */
function isLeftToPeople(
  { node, blockers }: Omit<ConvergenceExplanation, 'text'>,
  { membership: { gossip } }: ClusterSnapshot,
): boolean {
  const lost = blockers.filter(({ reason }) => reason === 'unreachable').map((each) => each.node)
  return (
    lost.length > 0 &&
    areApart(gossip.members) &&
    neighboursOf(gossip, node).every(
      (member) =>
        (member.status !== 'Up' && member.status !== 'Leaving') || lost.includes(member.node),
    )
  )
}

function decisionInWords(
  { blockers, decidesInMs: inMs }: Omit<ConvergenceExplanation, 'text'>,
  { downing }: ClusterSnapshot,
): string[] {
  if (blockers.every(({ reason }) => reason !== 'unreachable')) return []
  const { verdict, question } = downing
  if (question !== undefined) return ['Who goes on is for the arbiter to decide, which is asked.']
  if (verdict === undefined || inMs === null) {
    return ['It is given up when the downing strategy decides so, or is in reach again before.']
  }
  const names = [...verdict.nodes].map(addressOfNode).join(', ') || 'nobody'
  return [
    `If nothing changes, ${names} will be given up in ${formatMs(inMs)} (${verdict.decision}).`,
  ]
}
