/** Chance as the host gives it. Identities come from the operating system's source, so that they never repeat. */
import { randomBytes } from 'node:crypto'
import { assert } from './assert.ts'
import type { Random } from './random.ts'

const BOUND_MAX = 2 ** 32

export const systemRandom: Random = {
  float: () => Math.random(),

  below(bound) {
    assert(Number.isInteger(bound) && bound > 0 && bound <= BOUND_MAX, 'bound is in 1..2^32')
    return Math.floor(Math.random() * bound)
  },

  uid() {
    // Zero is left free to mean "none".
    for (;;) {
      const uid = randomBytes(8).readBigUInt64LE()
      if (uid !== 0n) return uid
    }
  },
}
