/** Waits between two looks at a store, on the timers of the environment, and no longer than anybody wants to know. */
import type { Timers } from '../../foundation/timers.ts'

/** Resolves after that time; rejects with the reason of the signal as soon as it fires. */
export function waitFor(
  timers: Timers,
  delayMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const timer = timers.after(delayMs, () => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    })
    const aborted = (): void => {
      timer.cancel()
      // As the platform does: whoever aborts says why.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', aborted, { once: true })
  })
}
