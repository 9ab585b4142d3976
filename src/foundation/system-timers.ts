/** Timers of the event loop, with three promises it does not keep: never early, any length, and in nobody's context. */
import { inNobodysContext } from './async-context.ts'
import type { Timer, Timers } from './timers.ts'

/** Beyond this `setTimeout` fires at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

export const systemTimers: Timers = {
  after: (delayMs, callback) => new SystemTimer(delayMs, callback),
}

class SystemTimer implements Timer {
  readonly #deadlineMs: number
  readonly #callback: () => void
  #timeout: ReturnType<typeof setTimeout>

  constructor(delayMs: number, callback: () => void) {
    this.#deadlineMs = performance.now() + delayMs
    this.#callback = callback
    this.#timeout = inNobodysContext(() => this.#wait(delayMs))
  }

  cancel(): void {
    clearTimeout(this.#timeout)
  }

  #wait(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#wake(), Math.min(Math.ceil(ms), LONGEST_TIMEOUT_MS))
  }

  /** The event loop counts in whole milliseconds and may wake us a fraction early. */
  #wake(): void {
    const leftMs = this.#deadlineMs - performance.now()
    if (leftMs > 0) this.#timeout = this.#wait(leftMs)
    else this.#callback()
  }
}
