/** Time as the host tells it. */
import type { Clock } from './clock.ts'

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
}
