/**
 * The port for time. Durations and deadlines use `monotonicMs`, which never goes back; `wallMs` is for people and for
 * timestamps that leave the process. Neither is read anywhere but through this port.
 */
export interface Clock {
  /** Milliseconds since an arbitrary start, fractions included. Never decreases. */
  monotonicMs(): number
  /** Milliseconds since 1970 as the host believes it. May jump in both directions. */
  wallMs(): number
}
