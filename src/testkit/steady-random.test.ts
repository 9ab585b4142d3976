import { describe, expect, test } from 'vitest'
import { SteadyRandom } from './steady-random.ts'

describe('SteadyRandom', () => {
  const drawn = () => {
    const random = new SteadyRandom()
    return [...Array.from({ length: 100 }, () => random.float()), random.below(6), random.uid()]
  }

  test('draws the same in every run', () => {
    expect(drawn()).toEqual(drawn())
  })

  test('draws what looks like chance', () => {
    const random = new SteadyRandom()
    const faces = Array.from({ length: 6_000 }, () => random.below(6))
    for (let face = 0; face < 6; face++) {
      const count = faces.filter((each) => each === face).length
      expect(Math.abs(count - 1_000)).toBeLessThan(150)
    }
    expect(new Set(Array.from({ length: 1_000 }, () => random.uid())).size).toBe(1_000)
  })
})
