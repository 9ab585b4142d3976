/**
 * Chance under a seed. A draw is a function of (seed, stream, ordinal), not of what was drawn elsewhere: leaving out the
 * draws of one stream never shifts another, so a shortened scenario still meets the same luck in its other parts.
 */
import { assert } from '../foundation/assert.ts'
import type { Random } from '../foundation/random.ts'
import { stableHash } from '../foundation/stable-hash.ts'

const TWO_32 = 4_294_967_296

/** The `n`th draw of a stream: an unsigned number of 32 bits. */
export function draw(seed: number, stream: string, n: number): number {
  const lowKey = stableHash(stream, seed)
  return mix(lowKey, highKey(lowKey, seed), n)
}

/** One named stream of draws. */
export class SeededRandom implements Random {
  readonly #seed: number
  readonly #stream: string
  readonly #lowKey: number
  readonly #highKey: number
  #drawn = 0

  constructor(seed: number, stream: string) {
    assert(Number.isSafeInteger(seed), 'a seed is a whole number')
    this.#seed = seed
    this.#stream = stream
    this.#lowKey = stableHash(stream, seed)
    this.#highKey = highKey(this.#lowKey, seed)
  }

  /** A stream of its own, named after this one. The same label gives the same stream. */
  fork(label: string): SeededRandom {
    return new SeededRandom(this.#seed, `${this.#stream}/${label}`)
  }

  /** 32 bits. */
  next(): number {
    return mix(this.#lowKey, this.#highKey, this.#drawn++)
  }

  float(): number {
    // 53 bits, as Math.random has them.
    return ((this.next() >>> 5) * 67_108_864 + (this.next() >>> 6)) / 9_007_199_254_740_992
  }

  below(bound: number): number {
    assert(bound >= 1 && bound <= TWO_32, 'a bound is between 1 and 2^32')
    // The bias of this is below 1 in 2^32 / bound: too small to find, and a draw stays one draw.
    return Math.floor((this.next() / TWO_32) * bound)
  }

  uid(): bigint {
    // Zero is left free to mean "none".
    return (BigInt(this.next()) << 32n) | BigInt(this.next()) || 1n
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability * TWO_32
  }

  /** One of the values, each as likely as the others. */
  pick<T>(values: readonly T[]): T {
    assert(values.length > 0, 'there is a value to pick')
    return values[this.below(values.length)] as T
  }
}

function highKey(lowKey: number, seed: number): number {
  return finish(lowKey ^ finish(Math.floor(seed / TWO_32) ^ 0x9e3779b9))
}

/** Two rounds of murmur3's finisher over two keys: neighbours in any of the three arguments have nothing in common. */
function mix(lowKey: number, high: number, n: number): number {
  const ordinal = Math.imul(n | 0, 0x9e3779b1) + Math.floor(n / TWO_32)
  return finish(finish((ordinal + lowKey) | 0) ^ high)
}

function finish(value: number): number {
  let mixed = value
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
