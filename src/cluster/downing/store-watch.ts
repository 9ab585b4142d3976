/**
 * Whether a node may go on where the store decides splits. As long as it hears from everybody it may: nobody is given up who
 * answers. When it does not, the others may have it given up at any time, and it is told by the store alone:
 *
 *   at ease ──somebody is silent, or cannot be reached──▶ watching ──nothing shown for `freshMs`──▶ frozen
 *      ▲                                                    │  ▲                                        │
 *      └──everybody answers, or was given up────────────────┘  └──shown by a look that it may act───────┘
 *
 * Invariant: a node that somebody may be giving up acts no later than `freshMs` after the start of a look that showed that nobody
 * had, and nobody was about to. Whoever gives it up acts later than that after the claim or the decision was stored.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { AwaitingStore } from '../cluster-inputs.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { SplitWish } from '../founding/split-decision.ts'
import { type Gossip, memberOf } from '../gossip/gossip.ts'
import { isMemberDownable } from './clean-cut.ts'
import { type StoreTimes, storeTimesOf } from './store-times.ts'

export interface WatchInput {
  /** Something may live on this node. */
  readonly isInService: boolean
  readonly seesSplit: boolean
  /** The node slept or was cut off, and asks whether it was given up. */
  readonly isDoubting: boolean
  /** When the last call began by which this node may act. */
  readonly shownAt: number
  /** Somebody is about to have it given up: there is no time to lose. */
  readonly isClaimed: boolean
  /** Why the store does not answer. */
  readonly problem: string
  readonly wouldGiveUp: readonly NodeId[]
}

/** What it is about, as the other parts of a node know it. */
interface Watched {
  readonly founding: {
    readonly shownAt: number
    readonly isClaimed: boolean
    readonly problem: string | undefined
  }
  readonly downing: { readonly awaitsStore: boolean; readonly wish: SplitWish | undefined }
  /** Who has not answered of late. */
  readonly silent: readonly NodeId[]
  readonly isDoubting: boolean
}

export function watchInputOf(
  gossip: Gossip,
  self: NodeId,
  { founding, downing, silent, isDoubting }: Watched,
): WatchInput {
  const own = memberOf(gossip, self)?.status
  const { shownAt, isClaimed, problem = 'no answer' } = founding
  return {
    // Nothing lives on one that is not Up yet, and one that is leaving for good cannot be given up any more.
    isInService: own === 'Up' || own === 'Leaving',
    seesSplit: silent.some((node) => isMemberDownable(gossip, node)) || downing.awaitsStore,
    wouldGiveUp: downing.wish?.nodes ?? [],
    ...{ isDoubting, shownAt, isClaimed, problem },
  }
}

export type WatchEffect =
  | { readonly type: 'LookSoon'; readonly withinMs: number }
  | { readonly type: 'Freeze' }
  | { readonly type: 'Thaw' }
  /** The store has shown since the doubt arose that nobody has given the node up. */
  | { readonly type: 'ShownByStore' }
  | AwaitingStore

/** How often people are told that nobody is given up because the store does not answer. */
const reminderBeats = 10

export class StoreWatch {
  readonly #times: StoreTimes
  readonly #reminderMs: number
  #since: number | undefined
  #doubtsSince = -Infinity
  #isFrozen = false
  #remindAt = Infinity

  constructor(settings: ClusterSettings) {
    this.#times = storeTimesOf(settings)
    this.#reminderMs = reminderBeats * settings.heartbeatIntervalMs
  }

  /** Whatever the store has shown so far is old. */
  doubts(now: number): void {
    this.#doubtsSince = now
  }

  step(input: WatchInput, now: number): WatchEffect[] {
    const { isInService, seesSplit, isDoubting, isClaimed, shownAt } = input
    const isWatching = isInService && (seesSplit || isDoubting || isClaimed)
    if (!isWatching) this.#since = undefined
    else this.#since ??= now
    const freshAt = isClaimed ? shownAt : Math.max(shownAt, this.#since ?? now)
    const isWaiting = isDoubting && shownAt < this.#doubtsSince
    const withinMs = isWaiting ? 0 : this.#times.lookEveryMs
    const mustFreeze = isWatching && now - freshAt > this.#times.freshMs
    return [
      ...(isWatching ? [{ type: 'LookSoon', withinMs } as const] : []),
      ...this.#set(mustFreeze),
      ...(isDoubting && isInService && shownAt >= this.#doubtsSince
        ? [{ type: 'ShownByStore' } as const]
        : []),
      ...this.#remind(input, now),
    ]
  }

  #set(isFrozen: boolean): WatchEffect[] {
    if (isFrozen === this.#isFrozen) return []
    this.#isFrozen = isFrozen
    return [{ type: isFrozen ? 'Freeze' : 'Thaw' }]
  }

  #remind({ wouldGiveUp, problem }: WatchInput, now: number): WatchEffect[] {
    if (wouldGiveUp.length === 0) {
      this.#remindAt = Infinity
      return []
    }
    // Not before it has had the time to answer.
    if (this.#remindAt === Infinity) this.#remindAt = now + 2 * this.#times.freshMs
    if (now < this.#remindAt) return []
    this.#remindAt = now + this.#reminderMs
    return [{ type: 'AwaitingStore', nodes: wouldGiveUp, problem }]
  }
}
