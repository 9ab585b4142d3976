/**
 * Waits until something holds, or until hope is lost: time is up or, on manual time, nothing moves any more. Only real
 * I/O could still bring a change then, which manual time does not wait for; it gets a moment all the same.
 */
import type { Bell } from './bell.ts'
import type { ManualTime } from './manual-time.ts'
import { comesWithin, realMs } from './patience.ts'

/** How long nothing may move on manual time. */
const stillnessMs = 250

export interface WaitOptions {
  /** Rung whenever `isDone` may have changed. */
  readonly bell: Bell
  /** When time is up, as `realMs` counts. */
  readonly endMs: number
  /** Given when the wait may end early, because the time of the system is manual. */
  readonly time: ManualTime | undefined
}

export type WaitEnd = 'done' | 'time-is-up' | 'nothing-moves'

export async function waitUntil(isDone: () => boolean, options: WaitOptions): Promise<WaitEnd> {
  const { bell, endMs, time } = options
  while (!isDone()) {
    const leftMs = endMs - realMs()
    if (leftMs <= 0) return 'time-is-up'
    const mark = time?.movements
    const pauseMs = time === undefined ? leftMs : Math.min(leftMs, stillnessMs)
    const isRung = await comesWithin(pauseMs, bell.next())
    if (isRung || time === undefined || pauseMs < stillnessMs) continue
    if (!isDone() && time.isIdle && time.movements === mark) return 'nothing-moves'
  }
  return 'done'
}
