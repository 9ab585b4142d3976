/** Counts the failures of one supervised behavior and says whether and when it may be built again. */
import type { BackoffStrategy, RestartStrategy } from './supervisor-strategy.ts'

export interface RestartDecision {
  readonly mayRestart: boolean
  readonly delayMs: number
  /** Failures counted so far, this one included. */
  readonly failures: number
}

export class FailureCount {
  readonly #strategy: RestartStrategy | BackoffStrategy
  #failures = 0
  /** End of the window that the first failure opened, or the time of the last failure, by strategy. */
  #markMs = -Infinity

  constructor(strategy: RestartStrategy | BackoffStrategy) {
    this.#strategy = strategy
  }

  /** `chance` is drawn from [0, 1). */
  failed(nowMs: number, chance: number): RestartDecision {
    return this.#strategy.type === 'restart'
      ? this.#failedInWindow(this.#strategy, nowMs)
      : this.#failedInRow(this.#strategy, nowMs, chance)
  }

  #failedInWindow({ restartsMax, withinMs }: RestartStrategy, nowMs: number): RestartDecision {
    if (this.#failures === 0 || nowMs >= this.#markMs) {
      this.#failures = 0
      this.#markMs = nowMs + withinMs
    }
    this.#failures++
    return { mayRestart: this.#failures <= restartsMax, delayMs: 0, failures: this.#failures }
  }

  #failedInRow(strategy: BackoffStrategy, nowMs: number, chance: number): RestartDecision {
    const { minMs, maxMs, randomFactor, restartsMax } = strategy
    if (nowMs - this.#markMs >= strategy.resetAfterMs) this.#failures = 0
    const plainMs = Math.min(maxMs, minMs * 2 ** this.#failures)
    const delayMs = Math.min(plainMs * (1 + chance * randomFactor), Number.MAX_VALUE)
    this.#failures++
    // Quiet time is counted from the restart, not from the failure before it.
    this.#markMs = nowMs + delayMs
    return { mayRestart: this.#failures <= restartsMax, delayMs, failures: this.#failures }
  }
}
