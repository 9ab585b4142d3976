/** How long to wait before the next attempt: twice as long each time, and not the same for all who lost the same peer. */
import type { Random } from '../../foundation/random.ts'

const doublingsMax = 30

export class BackOff {
  readonly #minMs: number
  readonly #maxMs: number
  readonly #random: Random
  #failures = 0

  constructor(minMs: number, maxMs: number, random: Random) {
    this.#minMs = minMs
    this.#maxMs = maxMs
    this.#random = random
  }

  next(): number {
    const ms = Math.min(this.#maxMs, this.#minMs * 2 ** Math.min(this.#failures++, doublingsMax))
    return ms * (0.8 + 0.4 * this.#random.float())
  }

  /** From now on the longest pause. */
  slow(): void {
    this.#failures = doublingsMax
  }

  reset(): void {
    this.#failures = 0
  }
}
