/**
 * Whether a node would lose a split between itself and all who have been silent of late. Asked long before anybody is
 * held for unreachable: where cuts come and go, the other side may have been counting for a while when this node loses
 * touch with it, and acts `stableAfter` later at the soonest.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { Member } from '../gossip/member.ts'
import type { DowningStrategy } from './downing-strategy.ts'

export interface Silence {
  readonly self: NodeId
  readonly members: readonly Member[]
  readonly silent: ReadonlySet<NodeId>
}

/**
 * How long those may be silent against whom this node would lose before it freezes: longer than the pause between two
 * answers, and shorter than any `stableAfter`, so that it comes before another side can act that has lost touch at the
 * same time.
 */
export function silenceMs({ heartbeatIntervalMs }: ClusterSettings): number {
  return 2 * heartbeatIntervalMs
}

/** The same before this node gives up anybody: it must have heard from enough others just now, or its picture is old. */
export function outOfTouchMs({ heartbeatIntervalMs }: ClusterSettings): number {
  return 1.5 * heartbeatIntervalMs
}

/**
 * By the rule alone, so that nobody but the others knows what they decide; or until an arbiter or the store has decided, whoever is
 * left then.
 */
export type Loss = 'by-rule' | 'until-decided'

export function lossToTheSilent(
  { self, members, silent }: Silence,
  strategy: DowningStrategy,
): Loss | undefined {
  const own = members.find(({ node }) => node === self)
  // Nothing lives on one that is not Up yet, and one that is leaving for good cannot lose any more.
  if (silent.size === 0 || (own?.status !== 'Up' && own?.status !== 'Leaving')) return undefined
  const decision = strategy.decide({ members, unreachable: silent })
  if (typeof decision === 'string') return decision === 'DownUnreachable' ? undefined : 'by-rule'
  return decision.freezeAfterMs === 0 ? 'until-decided' : undefined
}
