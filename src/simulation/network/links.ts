/** The ways between hosts: how long bytes take, and which ways are cut. One-way throughout: a -> b says nothing of b -> a. */
import type { SeededRandom } from '../seeded-random.ts'

/** How long bytes take on their way. */
export interface Latency {
  /** No bytes are faster than this. */
  readonly minMs: number
  /** What comes on top on average; exponentially distributed, so that some take far longer. */
  readonly meanMs: number
  /** The part of deliveries that meet a delay of up to `tailMs` as well: a lost packet, a full queue. */
  readonly tailChance: number
  readonly tailMs: number
}

export const defaultLatency: Latency = { minMs: 0.2, meanMs: 0.8, tailChance: 0.001, tailMs: 250 }

/** Inside one host. */
const loopback: Latency = { minMs: 0.02, meanMs: 0.03, tailChance: 0, tailMs: 0 }

interface Link {
  readonly random: SeededRandom
  readonly isLoopback: boolean
  latency: Latency | undefined
  isCut: boolean
}

export class Links {
  readonly #random: SeededRandom
  /** By where they come from, then by where they lead. */
  readonly #links = new Map<string, Map<string, Link>>()
  #latency = defaultLatency

  constructor(random: SeededRandom) {
    this.#random = random
  }

  isOpen(from: string, to: string): boolean {
    return !this.#link(from, to).isCut
  }

  /** Cuts the way; false when it was cut already. A host reaches itself whatever happens. */
  cut(from: string, to: string): boolean {
    const link = this.#link(from, to)
    if (link.isCut || link.isLoopback) return false
    link.isCut = true
    return true
  }

  /** Opens the way; false when it was open. */
  open(from: string, to: string): boolean {
    const link = this.#link(from, to)
    if (!link.isCut) return false
    link.isCut = false
    return true
  }

  openAll(): void {
    for (const ways of this.#links.values()) for (const link of ways.values()) link.isCut = false
  }

  /** For all links that have none of their own. */
  setLatency(latency: Latency): void {
    this.#latency = latency
  }

  setLatencyOf(from: string, to: string, latency: Latency): void {
    this.#link(from, to).latency = latency
  }

  /** How long the next bytes take. */
  drawLatencyMs(from: string, to: string): number {
    const { random, latency, isLoopback } = this.#link(from, to)
    const { minMs, meanMs, tailChance, tailMs } = latency ?? (isLoopback ? loopback : this.#latency)
    const delayMs = minMs - meanMs * Math.log(1 - random.float())
    return tailChance > 0 && random.chance(tailChance) ? delayMs + random.float() * tailMs : delayMs
  }

  #link(from: string, to: string): Link {
    let ways = this.#links.get(from)
    if (ways === undefined) {
      ways = new Map<string, Link>()
      this.#links.set(from, ways)
    }
    let link = ways.get(to)
    if (link === undefined) {
      const random = this.#random.fork(`${from}>${to}`)
      link = { random, isLoopback: from === to, latency: undefined, isCut: false }
      ways.set(to, link)
    }
    return link
  }
}
