/**
 * Ends a split. Every node judges at once whether its own side would lose, and freezes then; only the leader of a side
 * downs anybody, or has the arbiter asked first, and only when the picture has been still for `stableAfter`.
 *
 *   whole ──somebody unreachable──▶ waiting ──still for stableAfter, leader──▶ acted ──▶ whole
 *              │                       │  └─▶ asked ──answer, picture still the same──▶ waiting, with a verdict
 *              └─▶ frozen while the    └──changing for too long──▶ all down, or the store is asked
 *                  verdict is against us, or takes too long
 *
 * Invariant: whoever is to be downed by the other side has frozen itself, as far as both see the same split; nobody is
 * downed by an answer to a question about an earlier picture, nor for what others said before most of them fell silent.
 *
 * Where the store decides (`store-majority.ts`), what is decided is a list in the record of the founding, and more holds,
 * whatever sleeps, is cut or dies:
 * - Whoever adds to the list is not on it: the write replaces the revision in which it was looked up. So of two sides that
 *   would give each other up one is first, and the other finds itself on the list. The list is of one founding, and only grows.
 * - Whoever is on the list acts no more and ends (`founding-machine.ts`); whoever is not stays a member of all others that are
 *   not, also if it was on the side that lost: it stays frozen until it reaches them, or asks in its turn.
 * - Nobody is downed that is not on the list, so nobody at all while the store does not answer.
 * - One node of a side asks, the next one a heartbeat later. It does not matter who, nor that it lives to tell: who is on the
 *   list is downed by anybody who sees it. Nothing expires, so a side that slept cannot win when the winner has forgotten.
 * - By then those on the list are frozen (`store-watch.ts`, `store-times.ts`): a node that has not heard from somebody acts only
 *   shortly after a look that showed it neither on the list nor in a claim. A side that may be the smaller one claims first, and
 *   decides when its claim has stood for longer than that; a side that is the majority for sure need not wait if all of it have
 *   lost touch with all of the others, since then those froze (`lost-by-all.ts`). Otherwise it acts when its decision has stood so long.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { detectionSpreadMs, detectionTimeMs } from '../detection/detection-time.ts'
import type { Member, MemberStatus } from '../gossip/member.ts'
import { type CutDecision, isDownable } from './clean-cut.ts'
import type {
  ArbiterAnswered,
  DowningEffect,
  DowningInput,
  DowningOptions,
  DowningSnapshot,
} from './downing-inputs.ts'
import { roleOf, stableAfterMs, unstableMsMax } from './downing-settings.ts'
import type { StoreQuestion } from './downing-strategy.ts'
import { GivenUpMembers } from './given-up-members.ts'
import {
  type DowningDecision,
  type Judgement,
  type PendingVerdict,
  type Verdict,
  isAgainst,
  isPending,
  isSameJudgement,
  judge,
} from './judgement.ts'
import type { SplitWish } from '../founding/split-decision.ts'
import type { DowningView } from './split-view.ts'
import { storeTimesOf } from './store-times.ts'

const nobody: ReadonlySet<NodeId> = new Set()

export class DowningMachine {
  readonly #options: DowningOptions
  #view: DowningView = {
    members: [],
    unreachable: nobody,
    records: [],
    seenBy: nobody,
    leader: undefined,
  }
  #judgement: Judgement | undefined
  #isFrozen = false
  #stillSince = -Infinity
  #unstableSince: number | undefined
  /** Since when there is a question without an answer, this one or another. */
  #pendingSince: number | undefined
  /** The number of the question about this picture. */
  #number = 0
  #answer: CutDecision | undefined
  #askAt = -Infinity
  #wish: SplitWish | undefined
  readonly #givenUp: GivenUpMembers
  /** The arbiter has decided in favour of this side, and is kept to it. */
  #holdsArbiter = false
  #holdsUntil = Infinity

  constructor(options: DowningOptions) {
    this.#options = options
    this.#givenUp = new GivenUpMembers(options.self)
  }

  step(input: DowningInput, now: number): DowningEffect[] {
    switch (input.type) {
      case 'ViewChanged':
        return this.#changeView(input.view, now)
      case 'Overslept':
        this.#hasMissedNews(now)
        return []
      case 'Tick':
        return [
          ...this.#freezeOrThaw(now),
          ...this.#carryOut(now),
          ...this.#act(now, input.isOutOfTouch === true),
          ...this.#letGo(now),
        ]
      case 'ArbiterAnswered':
        return this.#answered(input, now)
      case 'GivenUpShown':
        this.#givenUp.shown(input.nodes, now)
        return this.#carryOut(now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): DowningSnapshot {
    const judgement = this.#judgement
    const verdict = this.#verdict
    const isOpen = judgement !== undefined && isPending(judgement) && verdict === undefined
    return {
      verdict,
      question: isOpen ? judgement.question : undefined,
      wouldGiveUp: this.#wish?.nodes ?? [],
      isFrozen: this.#isFrozen,
      actsAt: judgement && this.#stillSince + this.#waitMs(judgement),
    }
  }

  /** Whom this node would give up now, if the store agrees; undefined while it has no question to the store. */
  get wish(): SplitWish | undefined {
    return this.#wish
  }

  /** Whether this node sees a split that the store has to decide. */
  get awaitsStore(): boolean {
    const judgement = this.#judgement
    return judgement !== undefined && isPending(judgement) && judgement.byStore !== undefined
  }

  get #verdict(): Verdict | undefined {
    const judgement = this.#judgement
    if (judgement === undefined || !isPending(judgement)) return judgement
    return this.#answer && judgement.verdictBy(this.#answer)
  }

  get #stableAfterMs(): number {
    const { settings } = this.#options
    return stableAfterMs(settings.downing, this.#view.members.length, settings)
  }

  #waitMs(judgement: Judgement): number {
    const { settings } = this.#options
    const [{ decision }, moreMs, stableMs] = isPending(judgement)
      ? [judgement.verdictBy('DownAll'), judgement.askAfterMs, judgement.byStore?.stableAfterMs]
      : [judgement, 0, undefined]
    const plainMs = stableMs ?? this.#stableAfterMs
    if (decision !== 'DownIndirectlyConnected') return plainMs + moreMs
    // This verdict rests on what others say they see. Whoever was cut off since would be found out in this time.
    const isFoundOutMs = detectionTimeMs(settings).most + detectionSpreadMs(settings)
    return Math.max(plainMs, isFoundOutMs) + moreMs
  }

  #changeView(view: DowningView, now: number): DowningEffect[] {
    const before = this.#view
    this.#view = view
    const isReachabilityNews = hasReachabilityNews(before, view)
    const hasTrouble = view.members.some((m) => isDownable(m) && view.unreachable.has(m.node))
    const judgement = hasTrouble ? this.#judge(view) : undefined
    // Also a new judgement of the same members: one that wakes up in the last moment looks indirectly connected at first.
    const isNews = isReachabilityNews || !isSameJudgement(this.#judgement, judgement)
    if (isNews || hasNewcomer(before, view, 'Up') || hasNewcomer(before, view, 'Exiting')) {
      this.#beginAnew(now)
    }
    this.#judgement = judgement
    if (!hasTrouble) this.#unstableSince = undefined
    else if (isReachabilityNews) this.#unstableSince ??= now
    if (judgement === undefined || !isPending(judgement)) this.#pendingSince = undefined
    else this.#pendingSince ??= now
    return this.#freezeOrThaw(now)
  }

  /** The picture is another one, or old: the wait begins anew, and what was asked about it does not count any more. */
  #beginAnew(now: number): void {
    this.#stillSince = now
    this.#number++
    this.#answer = undefined
    this.#askAt = -Infinity
    this.#wish = undefined
    this.#givenUp.askedAnew()
  }

  /** What others have seen meanwhile is not known here: the picture is neither still nor unstable, but old. */
  #hasMissedNews(now: number): void {
    this.#beginAnew(now)
    this.#unstableSince = this.#judgement === undefined ? undefined : now
  }

  #judge(view: DowningView): Judgement {
    const { settings, strategy } = this.#options
    const { downing, monitoredByMembers } = settings
    // Where everybody monitors everybody, the indirectly connected are known exactly.
    const isSampled = view.members.length - 1 > monitoredByMembers
    return judge(view, {
      strategy,
      role: roleOf(downing),
      indirectlyConnectedShareMax: isSampled ? downing.indirectlyConnectedShareMax : undefined,
    })
  }

  #freezeOrThaw(now: number): DowningEffect[] {
    const mustFreeze = this.#mustFreeze(now)
    if (mustFreeze === this.#isFrozen) return []
    this.#isFrozen = mustFreeze
    return [{ type: mustFreeze ? 'Freeze' : 'Thaw' }]
  }

  #mustFreeze(now: number): boolean {
    const judgement = this.#judgement
    const verdict = this.#verdict
    if (verdict !== undefined && isAgainst(this.#options.self, verdict)) return true
    if (judgement === undefined || !isPending(judgement)) return false
    // Whatever the arbiter says.
    const { self } = this.#options
    const isAgainstUs = (decision: CutDecision): boolean =>
      isAgainst(self, judgement.verdictBy(decision))
    // The store gives up whom this side names, or nobody yet.
    const isLost = judgement.byStore !== undefined || isAgainstUs('DownReachable')
    if (isLost && isAgainstUs('DownUnreachable')) return true
    // Whoever has frozen for a question stays so until the split is over, also when the answer is in its favour.
    if (this.#isFrozen) return true
    return verdict === undefined && now - (this.#pendingSince ?? now) >= judgement.freezeAfterMs
  }

  #act(now: number, isOutOfTouch: boolean): DowningEffect[] {
    const judgement = this.#judgement
    if (judgement === undefined || !this.#isSettled) return []
    if (isOutOfTouch && this.#restsOnOthers(judgement)) {
      this.#hasMissedNews(now)
      return []
    }
    const stableMs = this.#stableAfterMs
    // A picture that is still while the arbiter is awaited is not unstable, however long that takes.
    if (isPending(judgement) && now - this.#stillSince >= stableMs) this.#unstableSince = undefined
    const unstableMs = stableMs + unstableMsMax(this.#options.settings.downing, stableMs)
    const isUnstable = now - (this.#unstableSince ?? now) > unstableMs
    if (isPending(judgement) && judgement.byStore !== undefined) {
      return this.#askStore(judgement, judgement.byStore, isUnstable, now)
    }
    if (isUnstable) {
      const all = this.#view.members.filter(isDownable).map(({ node }) => node)
      return this.#down(all, 'Unstable', now)
    }
    const isLeader = this.#view.leader === this.#options.self
    if (!isLeader || now - this.#stillSince < this.#waitMs(judgement)) return []
    const verdict = this.#verdict
    if (verdict === undefined) return isPending(judgement) ? this.#ask(judgement.question, now) : []
    // Those who are silent may see another picture by now, and one of us must not act on it. An arbiter has seen both.
    if (isOutOfTouch && verdict.decision === 'DownUnreachable' && !isPending(judgement)) return []
    return this.#down([...verdict.nodes], verdict.decision, now)
  }

  /**
   * To go on, and to give up those who cannot reach each other, by what they say themselves. When they fall silent they may have
   * found each other again, and go on without this node: what they say then must have had the time to come here.
   */
  #restsOnOthers(judgement: Judgement): boolean {
    if (isPending(judgement) || judgement.decision !== 'DownIndirectlyConnected') return false
    return !isAgainst(this.#options.self, judgement)
  }

  /** However unstable the picture is, the store decides for one side; and the smaller one waits until it is still. */
  #askStore(
    judgement: PendingVerdict,
    { askers, claimMs, actAfterMs }: StoreQuestion,
    isUnstable: boolean,
    now: number,
  ): DowningEffect[] {
    const { self, settings } = this.#options
    const place = askers.indexOf(self)
    const waitMs = this.#waitMs(judgement) + place * settings.heartbeatIntervalMs
    const isDue = now - this.#stillSince >= waitMs || (isUnstable && judgement.freezeAfterMs > 0)
    if (place < 0 || !isDue || now < this.#askAt) return []
    const nodes = [...judgement.verdictBy('DownUnreachable').nodes]
    if (nodes.every((node) => this.#givenUp.has(node))) return []
    this.#askAt = now + settings.tickIntervalMs
    this.#wish = { nodes, claimMs }
    this.#givenUp.asked(nodes, actAfterMs)
    return [{ type: 'AskStore' }]
  }

  /** Whoever was given up in the store is downed, whatever this node sees itself. */
  #carryOut(now: number): DowningEffect[] {
    if (!this.#isSettled) return []
    const { settings } = this.#options
    const { seenByAllMs: actAfterMs } = storeTimesOf(settings)
    const turnMs = settings.heartbeatIntervalMs
    const nodes = this.#givenUp.due(this.#view, now, { actAfterMs, turnMs })
    return nodes.length === 0 ? [] : [{ type: 'Down', nodes, why: 'GivenUp' }]
  }

  #ask(question: string, now: number): DowningEffect[] {
    if (now < this.#askAt) return []
    this.#askAt = Infinity
    return [{ type: 'AskArbiter', number: this.#number, question }]
  }

  /** The leader acts on it with its next tick, as on any verdict. */
  #answered({ number, decision }: ArbiterAnswered, now: number): DowningEffect[] {
    // Also an answer about an earlier picture: the arbiter is kept to it all the same.
    if (decision === 'DownUnreachable') this.#holdsArbiter = true
    if (number !== this.#number) return []
    this.#answer = decision
    if (decision === undefined) this.#askAt = now + this.#options.settings.heartbeatIntervalMs
    return this.#freezeOrThaw(now)
  }

  /** Whoever was given up must be gone, and have had the time to ask in vain, before the arbiter may decide otherwise. */
  #letGo(now: number): DowningEffect[] {
    if (!this.#holdsArbiter) return []
    const isOver =
      this.#judgement === undefined && this.#view.members.every(({ status }) => status !== 'Down')
    if (!isOver) this.#holdsUntil = Infinity
    else if (this.#holdsUntil === Infinity) {
      this.#holdsUntil = now + (this.#options.strategy.holdsMs ?? 0)
    }
    if (now < this.#holdsUntil) return []
    this.#holdsArbiter = false
    this.#holdsUntil = Infinity
    return [{ type: 'ArbiterIsOver' }]
  }

  #down(nodes: NodeId[], why: DowningDecision | 'Unstable', now: number): DowningEffect[] {
    this.#beginAnew(now)
    this.#unstableSince = undefined
    if (nodes.length === 0) return []
    const { self } = this.#options
    const others = nodes.filter((node) => node !== self)
    const selfLast = nodes.length > others.length ? [...others, self] : others
    return [{ type: 'Down', nodes: selfLast, why }]
  }

  get #isSettled(): boolean {
    const self = this.#view.members.find(({ node }) => node === this.#options.self)
    return self?.status === 'Up' || self?.status === 'Leaving'
  }
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
  if (before.members === after.members) return false
  const isThere = (member: Member) => member.status === status
  const were = new Set(before.members.filter(isThere).map(({ node }) => node))
  return after.members.some((member) => isThere(member) && !were.has(member.node))
}
