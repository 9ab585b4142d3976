/**
 * The port for time. Durations and deadlines use `monotonicMs`, which never goes back; `wallMs` is for people, for
 * timestamps that leave the process, and to notice that the machine was suspended. Neither is read anywhere but through
 * this port.
 */
export interface Clock {
  /** Milliseconds since an arbitrary start, fractions included. Never decreases; may stand still in a suspended machine. */
  monotonicMs(): number
  /** Milliseconds since 1970 as the host believes it. May jump in both directions. */
  wallMs(): number
}
