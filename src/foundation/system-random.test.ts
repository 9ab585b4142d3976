import { describe, expect, test } from 'vitest'
import { AssertionFailed } from './assert.ts'
import { systemRandom } from './system-random.ts'

describe('systemRandom', () => {
  test('draws floats in [0, 1)', () => {
    for (let i = 0; i < 1_000; i++) {
      const float = systemRandom.float()
      expect(float >= 0 && float < 1).toBe(true)
    }
  })

  test('draws every whole number below the bound and no other', () => {
    const seen = new Set<number>()
    for (let i = 0; i < 1_000; i++) seen.add(systemRandom.below(5))
    expect(seen).toEqual(new Set([0, 1, 2, 3, 4]))
    expect(systemRandom.below(1)).toBe(0)
    expect(systemRandom.below(2 ** 32)).toBeLessThan(2 ** 32)
  })

  test.each([0, -1, 1.5, NaN, 2 ** 32 + 1])('refuses the bound %d', (bound) => {
    expect(() => systemRandom.below(bound)).toThrow(AssertionFailed)
  })

  test('gives identities of 64 bits that are not zero and do not repeat', () => {
    const uids = new Set(Array.from({ length: 1_000 }, () => systemRandom.uid()))
    expect(uids.size).toBe(1_000)
    for (const uid of uids) expect(uid > 0n && uid < 2n ** 64n).toBe(true)
    expect([...uids].some((uid) => uid > 2n ** 60n)).toBe(true)
  })
})
