/**
 * Waiting in real time, for what has no other sign of its coming, and never without a limit. The functions of the
 * platform are taken when this module loads: fake timers that a test installs later do not stop our patience.
 */

/** How long something may take to come when the test does not say. */
export const defaultPatienceMs = 3_000

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

const { clearTimeout, setImmediate, setTimeout } = globalThis
const now = performance.now.bind(performance)

/** Milliseconds of real time since an arbitrary start. */
export function realMs(): number {
  return now()
}

/** One round of the event loop: promises that can settle have settled, and I/O that is ready has been served. */
export function hop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** True when `event` comes within that time. The time may be up late, never early. */
export function comesWithin(ms: number, event: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    // After a hold-up of the whole process the mail that has piled up goes before the verdict.
    const giveUp = (): void => {
      void hop()
        .then(hop)
        .then(() => resolve(false))
    }
    const timeout = setTimeout(giveUp, Math.min(Math.ceil(ms), LONGEST_TIMEOUT_MS))
    void event.then(() => {
      clearTimeout(timeout)
      resolve(true)
    })
  })
}
