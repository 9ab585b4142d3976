/**
 * How the times of a split go together where the store decides it. All count in heartbeats; by the defaults in seconds.
 *
 *   cut ─────2.25────▶ whoever has not heard from somebody looks into the record, again and again
 *    │                 └──1 without an answer, or with a claim against it──▶ frozen           ≤ 3.5 after the cut
 *    └──noticed──2.5───▶ the majority decides (stored) ──▶ gives up, 1.4 later if not all of it have lost touch
 *          └────2.25───▶ another side claims (stored) ──1.4──▶ decides (stored) ──▶ gives up   ≥ 3.65 after the cut
 */
import type { ClusterSettings } from '../cluster-settings.ts'
import { silenceMs } from './silent-members.ts'

export interface StoreTimes {
  /** How long the picture must be still before a side asks, whatever the size of the cluster: who wins is not ours to find out. */
  readonly stableAfterMs: number
  /** The same for a side that claims first: by then whoever has lost touch with it looks often. */
  readonly claimAfterMs: number
  /** How often a node looks that has not heard from somebody. */
  readonly lookEveryMs: number
  /** How long it goes on after the start of a look by which it was not given up: some of these must fit into it. */
  readonly freshMs: number
  /** How long a claim or a decision must have stood before it is acted upon: longer than anybody goes on who has not seen it. */
  readonly seenByAllMs: number
  /** How long a node goes on that has no store and sees a split, without a decision: a little less than all of that. */
  readonly storelessMs: number
}

export function storeTimesOf(settings: ClusterSettings): StoreTimes {
  const { heartbeatIntervalMs: beat, tickIntervalMs: tick, downing } = settings
  const { stableAfterMs: wait } = downing
  const stableAfterMs = wait === 'by-size' ? 2.5 * beat : wait
  const freshMs = beat
  // A tenth more for clocks that run unequally, and a tick until it is noticed.
  const seenByAllMs = 1.1 * freshMs + 1.25 * tick
  const silenceIsNoticedMs = silenceMs(settings) + tick
  return {
    ...{ stableAfterMs, freshMs, seenByAllMs },
    claimAfterMs: wait === 'by-size' ? silenceIsNoticedMs : Math.max(wait, silenceIsNoticedMs),
    lookEveryMs: 0.4 * beat,
    storelessMs: stableAfterMs + 0.75 * beat,
  }
}
