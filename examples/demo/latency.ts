/** How long calls took, in buckets that grow by a quarter: small enough to send every moment, exact to about a tenth. */

const growth = Math.log(1.25)
const finestMs = 0.05
const bucketsMax = 64

export class Latencies {
  readonly #counts: number[]

  constructor(counts: readonly number[] = []) {
    this.#counts = Array.from({ length: bucketsMax }, (_, bucket) => counts[bucket] ?? 0)
  }

  add(ms: number): void {
    const bucket = Math.ceil(Math.log(Math.max(ms, finestMs) / finestMs) / growth)
    this.#counts[Math.min(bucket, bucketsMax - 1)]!++
  }

  /** The counts so far, to be sent; then begins anew. */
  take(): number[] {
    const taken = [...this.#counts]
    this.#counts.fill(0)
    return taken
  }

  merge(counts: readonly number[]): void {
    for (const [bucket, count] of counts.entries()) {
      if (bucket < bucketsMax) this.#counts[bucket]! += count
    }
  }

  /** The time in which this share of the calls, 0 to 1, was answered; undefined when there were none. */
  percentileMs(share: number): number | undefined {
    const total = this.#counts.reduce((sum, count) => sum + count, 0)
    if (total === 0) return undefined
    let seen = 0
    const bucket = this.#counts.findIndex((count) => (seen += count) >= share * total && count > 0)
    // The middle of the bucket, so that many readings err in neither direction.
    return finestMs * Math.exp(growth * (bucket - 0.5))
  }
}
