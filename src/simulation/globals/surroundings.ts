/** What the global functions of a program answer from: the place where the calling code runs. */
import type { SeededRandom } from '../seeded-random.ts'

export interface Surroundings {
  readonly clock: {
    wallMs(): number
    /** Milliseconds since this node started. */
    uptimeMs(): number
  }
  /** Chance for user code; apart from the node's own, so that neither shifts the other. */
  readonly userRandom: SeededRandom
  after(delayMs: number, kind: string, callback: () => void): SurroundingTimer
  /** As `setImmediate`: in the order of the calls. */
  soon(callback: () => void): SurroundingTimer
}

export interface SurroundingTimer {
  /** False when nobody minds that it never fires, as with an unref'd timer. */
  isAwaited: boolean
  cancel(): void
}
