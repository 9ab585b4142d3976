/**
 * Ends a split. Every node judges at once whether its own side would lose, and freezes then; only the leader of a side
 * downs anybody, and only when the picture has been still for `stableAfter`.
 *
 *   whole ──somebody unreachable──▶ waiting ──still for stableAfter, leader──▶ acted ──▶ whole
 *              └─▶ frozen while the verdict is against us      └──changing for too long──▶ all down
 *
 * Invariant: whoever is to be downed by the other side has frozen itself, as far as both see the same split.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { detectionSpreadMs, detectionTimeMs } from '../detection/detection-time.ts'
import type { Member, MemberStatus } from '../gossip/member.ts'
import { stableAfterMs, unstableLimitMs } from './downing-settings.ts'
import type { DowningView } from './downing-view.ts'
import {
  type DowningDecision,
  type Verdict,
  isAgainst,
  isDownable,
  keepMajority,
} from './keep-majority.ts'

export type DowningInput =
  | { readonly type: 'ViewChanged'; readonly view: DowningView }
  /** This process slept: what it saw before is old. */
  | { readonly type: 'Overslept' }
  /** Out of touch: most others have been silent just now, so that the picture may be old. */
  | { readonly type: 'Tick'; readonly isOutOfTouch?: boolean }

export type DowningEffect =
  | {
      readonly type: 'Down'
      /** The node itself last. */
      readonly nodes: readonly NodeId[]
      readonly why: DowningDecision | 'Unstable'
    }
  | { readonly type: 'Freeze' }
  | { readonly type: 'Thaw' }

export interface DowningSnapshot {
  readonly verdict: Verdict | undefined
  readonly isFrozen: boolean
  readonly actsAt: number | undefined
}

export class DowningMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  #view: DowningView
  #verdict: Verdict | undefined
  #isFrozen = false
  #stillSince = -Infinity
  #unstableSince: number | undefined

  constructor(self: NodeId, settings: ClusterSettings) {
    this.#self = self
    this.#settings = settings
    const nobody: ReadonlySet<NodeId> = new Set()
    this.#view = {
      members: [],
      unreachable: nobody,
      records: [],
      seenBy: nobody,
      leader: undefined,
    }
  }

  step(input: DowningInput, now: number): DowningEffect[] {
    switch (input.type) {
      case 'ViewChanged':
        return this.#changeView(input.view, now)
      case 'Overslept':
        this.#stillSince = now
        this.#unstableSince = this.#verdict === undefined ? undefined : now
        return []
      case 'Tick':
        return this.#act(now, input.isOutOfTouch === true)
      default:
        return unreachable(input)
    }
  }

  snapshot(): DowningSnapshot {
    const actsAt = this.#verdict && this.#stillSince + this.#waitMs(this.#verdict)
    return { verdict: this.#verdict, isFrozen: this.#isFrozen, actsAt }
  }

  get #stableAfterMs(): number {
    return stableAfterMs(this.#settings.downing, this.#view.members.length, this.#settings)
  }

  #waitMs({ decision }: Verdict): number {
    if (decision !== 'DownIndirectlyConnected') return this.#stableAfterMs
    // This verdict rests on what others say they see. Whoever was cut off since would be found out in this time.
    const isFoundOutMs = detectionTimeMs(this.#settings).most + detectionSpreadMs(this.#settings)
    return Math.max(this.#stableAfterMs, isFoundOutMs)
  }

  #changeView(view: DowningView, now: number): DowningEffect[] {
    const before = this.#view
    this.#view = view
    const isReachabilityNews = hasReachabilityNews(before, view)
    const hasTrouble = view.members.some((m) => isDownable(m) && view.unreachable.has(m.node))
    const verdict = hasTrouble ? this.#judge(view) : undefined
    // Also a new verdict on the same members: one that wakes up in the last moment looks indirectly connected at first.
    const isNews = isReachabilityNews || !isSameVerdict(this.#verdict, verdict)
    if (isNews || hasNewcomer(before, view, 'Up') || hasNewcomer(before, view, 'Exiting')) {
      this.#stillSince = now
    }
    this.#verdict = verdict
    if (!hasTrouble) this.#unstableSince = undefined
    else if (isReachabilityNews) this.#unstableSince ??= now
    return this.#freezeOrThaw()
  }

  #judge(view: DowningView): Verdict {
    const { downing, monitoredByMembers } = this.#settings
    // Where everybody monitors everybody, the indirectly connected are known exactly.
    const isSampled = view.members.length - 1 > monitoredByMembers
    return keepMajority(view, {
      role: downing.role,
      indirectlyConnectedShareMax: isSampled ? downing.indirectlyConnectedShareMax : undefined,
    })
  }

  #freezeOrThaw(): DowningEffect[] {
    const mustFreeze = this.#verdict !== undefined && isAgainst(this.#self, this.#verdict)
    if (mustFreeze === this.#isFrozen) return []
    this.#isFrozen = mustFreeze
    return [{ type: mustFreeze ? 'Freeze' : 'Thaw' }]
  }

  #act(now: number, isOutOfTouch: boolean): DowningEffect[] {
    if (this.#verdict === undefined || !this.#isSettled) return []
    const stableMs = this.#stableAfterMs
    const unstableMs = stableMs + unstableLimitMs(this.#settings.downing, stableMs)
    if (now - (this.#unstableSince ?? now) > unstableMs) {
      const all = this.#view.members.filter(isDownable).map(({ node }) => node)
      return this.#down(all, 'Unstable', now)
    }
    // Those who are silent may see another picture by now, and one of us must not act on it.
    if (isOutOfTouch && this.#verdict.decision === 'DownUnreachable') return []
    const isDue =
      this.#view.leader === this.#self && now - this.#stillSince >= this.#waitMs(this.#verdict)
    return isDue ? this.#down([...this.#verdict.nodes], this.#verdict.decision, now) : []
  }

  #down(nodes: NodeId[], why: DowningDecision | 'Unstable', now: number): DowningEffect[] {
    this.#stillSince = now
    this.#unstableSince = undefined
    if (nodes.length === 0) return []
    const others = nodes.filter((node) => node !== this.#self)
    const selfLast = nodes.length > others.length ? [...others, this.#self] : others
    return [{ type: 'Down', nodes: selfLast, why }]
  }

  get #isSettled(): boolean {
    const self = this.#view.members.find(({ node }) => node === this.#self)
    return self?.status === 'Up' || self?.status === 'Leaving'
  }
}

function isSameVerdict(a: Verdict | undefined, b: Verdict | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const isSameNodes =
    a.nodes.size === b.nodes.size && [...a.nodes].every((node) => b.nodes.has(node))
  return a.decision === b.decision && isSameNodes
}

/** Whether a member that is still here has come into trouble or out of it. */
function hasReachabilityNews(before: DowningView, after: DowningView): boolean {
  const were = troubledIn(before)
  const are = troubledIn(after)
  return after.members.some(({ node }) => were.has(node) !== are.has(node))
}

function troubledIn({ members, unreachable: cutOff }: DowningView): Set<NodeId> {
  const troubled = members.filter(({ node, status }) => status === 'Down' || cutOff.has(node))
  return new Set(troubled.map(({ node }) => node))
}

function hasNewcomer(before: DowningView, after: DowningView, status: MemberStatus): boolean {
  const isNew = (member: Member) =>
    member.status === status &&
    before.members.find(({ node }) => node === member.node)?.status !== status
  return after.members.some(isNew)
}
