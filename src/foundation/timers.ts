/** The port for "call me later". Everything periodic is built from this one call. */
export interface Timers {
  /** Calls `callback` once, not before `delayMs` have passed on the monotonic clock. Never synchronously. */
  after(delayMs: number, callback: () => void): Timer
}

/** A call that has not happened yet. */
export interface Timer {
  /** The call will not happen. Harmless when it already has. */
  cancel(): void
}
