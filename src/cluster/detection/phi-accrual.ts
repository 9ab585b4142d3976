/**
 * How suspicious the silence of one peer is, learned from the rhythm of its signs of life. `phi` is the negative decimal
 * logarithm of the probability that a sign of life comes later than now: 8 means one error in a hundred million.
 * Deterministic: time is an argument.
 */
export interface PhiAccrualOptions {
  readonly threshold: number
  readonly samplesMax: number
  readonly deviationMinMs: number
  /**
   * Bounds of what is learned. Without them one hiccup in a short history makes a detector wait seconds longer than
   * its peers, and the losing side of a split may notice it too late.
   */
  readonly deviationMaxMs: number
  readonly meanMaxMs: number
  readonly acceptablePauseMs: number
  /** The rhythm assumed before any is known. */
  readonly firstIntervalMs: number
}

export class PhiAccrual {
  readonly #options: PhiAccrualOptions
  readonly #intervals: IntervalHistory
  #latest: number | undefined
  #isLatestReal = false

  constructor(options: PhiAccrualOptions) {
    this.#options = options
    this.#intervals = new IntervalHistory(options.samplesMax)
    const deviation = options.firstIntervalMs / 4
    this.#intervals.add(options.firstIntervalMs - deviation)
    this.#intervals.add(options.firstIntervalMs + deviation)
  }

  /** Whether there has been a sign of life, or one is taken for granted. */
  get isMonitoring(): boolean {
    return this.#latest !== undefined
  }

  heartbeat(now: number): void {
    // The end of a silence says nothing about the rhythm.
    if (this.#latest !== undefined && this.#isLatestReal && this.isAvailable(now)) {
      this.#intervals.add(Math.round(now - this.#latest))
    }
    this.#latest = now
    this.#isLatestReal = true
  }

  /** Counts silence from now on, so that one that never gives a sign of life is noticed. */
  expect(now: number): void {
    this.#latest ??= now
  }

  phi(now: number): number {
    if (this.#latest === undefined) return 0
    const { acceptablePauseMs, deviationMinMs, deviationMaxMs, meanMaxMs } = this.#options
    const mean = Math.min(this.#intervals.mean, meanMaxMs)
    const learned = Math.sqrt(this.#intervals.variance)
    const deviation = Math.min(Math.max(learned, deviationMinMs), deviationMaxMs)
    return phiOf(now - this.#latest, mean + acceptablePauseMs, deviation)
  }

  isAvailable(now: number): boolean {
    return this.phi(now) < this.#options.threshold
  }

  /** Leaves a stretch of time out of account, because it was we who slept. Nobody was heard later than now. */
  forgive(ms: number, now: number): void {
    if (this.#latest !== undefined) this.#latest = Math.min(this.#latest + ms, now)
  }
}

/** Phi of a silence of `elapsed`, by a logistic approximation of the normal distribution. */
export function phiOf(elapsed: number, mean: number, deviation: number): number {
  const y = (elapsed - mean) / deviation
  const e = Math.exp(-y * (1.5976 + 0.070566 * y * y))
  return elapsed > mean ? -Math.log10(e / (1 + e)) : -Math.log10(1 - 1 / (1 + e))
}

/** The last so many intervals, with mean and variance kept as they come and go. */
export class IntervalHistory {
  readonly #max: number
  readonly #values: number[] = []
  #oldest = 0
  #sum = 0
  #sumOfSquares = 0

  constructor(max: number) {
    this.#max = max
  }

  get mean(): number {
    return this.#sum / this.#values.length
  }

  get variance(): number {
    const { mean } = this
    // Rounding may take an exact zero below it.
    return Math.max(this.#sumOfSquares / this.#values.length - mean * mean, 0)
  }

  add(value: number): void {
    if (this.#values.length < this.#max) {
      this.#values.push(value)
    } else {
      const dropped = this.#values[this.#oldest]!
      this.#sum -= dropped
      this.#sumOfSquares -= dropped * dropped
      this.#values[this.#oldest] = value
      this.#oldest = (this.#oldest + 1) % this.#max
    }
    this.#sum += value
    this.#sumOfSquares += value * value
  }
}
