/**
 * Takes a peer for gone when it has given no sign of life for one interval and the acceptable pause. It learns nothing, so it
 * suits links with a rhythm from which little can be learnt, as those between data centers. Deterministic: time is an argument.
 */
export interface DeadlineDetectorOptions {
  readonly intervalMs: number
  readonly acceptablePauseMs: number
}

export class DeadlineDetector {
  readonly #deadlineMs: number
  #latest: number | undefined

  constructor({ intervalMs, acceptablePauseMs }: DeadlineDetectorOptions) {
    this.#deadlineMs = intervalMs + acceptablePauseMs
  }

  /** Whether there has been a sign of life, or one is taken for granted. */
  get isMonitoring(): boolean {
    return this.#latest !== undefined
  }

  heartbeat(now: number): void {
    this.#latest = now
  }

  /** Counts silence from now on, so that one that never gives a sign of life is noticed. */
  expect(now: number): void {
    this.#latest ??= now
  }

  isAvailable(now: number): boolean {
    return this.#latest === undefined || now - this.#latest < this.#deadlineMs
  }

  /** Leaves a stretch of time out of account, because it was we who slept. Nobody was heard later than now. */
  forgive(ms: number, now: number): void {
    if (this.#latest !== undefined) this.#latest = Math.min(this.#latest + ms, now)
  }
}
