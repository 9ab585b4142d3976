/** Chance that is the same in every run: what a test meets once, it meets again. */
import type { Random } from '../foundation/random.ts'
import { stableHash } from '../foundation/stable-hash.ts'

export class SteadyRandom implements Random {
  readonly #stream: string
  #draws = 0

  /** Draws of another stream are others. */
  constructor(stream = 'draw') {
    this.#stream = stream
  }

  float(): number {
    return this.#next() / 2 ** 32
  }

  below(bound: number): number {
    return Math.floor(this.float() * bound)
  }

  uid(): bigint {
    const uid = (BigInt(this.#next()) << 32n) | BigInt(this.#next())
    return uid === 0n ? 1n : uid
  }

  #next(): number {
    return stableHash(`${this.#stream} ${++this.#draws}`)
  }
}
