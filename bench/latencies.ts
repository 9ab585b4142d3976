/** How long calls take: one of sixteen is timed, and the median and the slowest hundredth of a round are told in microseconds. */

const every = 16

export class Latencies {
  readonly p50: number[] = []
  readonly p99: number[] = []
  #round: number[] = []
  #calls = 0

  /** Makes the call; the answer is what it answers. */
  async timed<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const start = performance.now()
    const answer = await call()
    this.took((performance.now() - start) * 1_000)
    return answer
  }

  /** Whether it is the turn of this call. */
  get isDue(): boolean {
    return this.#calls++ % every === 0
  }

  /** One call, or one of many that took the same. */
  took(us: number): void {
    this.#round.push(us)
  }

  endRound(): void {
    const sorted = Float64Array.from(this.#round).sort()
    if (sorted.length > 0) {
      this.p50.push(sorted[Math.floor(sorted.length * 0.5)]!)
      this.p99.push(sorted[Math.floor(sorted.length * 0.99)]!)
    }
    this.#round = []
  }
}
