import { expect, test } from 'vitest'
import { defaultOptimizer } from './passivation-options.ts'
import { WindowOptimizer } from './window-optimizer.ts'

/** One period of ten uses, so many of them hits; the step at its end. */
function stepAfter(optimizer: WindowOptimizer, hits: number): number {
  expect(optimizer.usesLeft).toBe(10)
  optimizer.used(hits, 9 - hits)
  expect(optimizer.usesLeft).toBe(1)
  optimizer.used(0, 1)
  expect(optimizer.usesLeft).toBe(0)
  return optimizer.step()
}

test('begins downwards, goes on while it helps, turns when it does not, and gets slower while little changes', () => {
  const optimizer = new WindowOptimizer({ ...defaultOptimizer, adjustMultiplier: 1 })
  optimizer.setLimit(10)
  expect(stepAfter(optimizer, 5)).toBe(-0.0625)
  expect(stepAfter(optimizer, 6)).toBe(-0.0625)
  expect(stepAfter(optimizer, 3)).toBe(0.0625)
  expect(stepAfter(optimizer, 3)).toBe(0.0625)
  expect(stepAfter(optimizer, 3)).toBeCloseTo(0.0625 * 0.98)
  expect(stepAfter(optimizer, 3)).toBeCloseTo(0.0625 * 0.98 ** 2)
  expect(stepAfter(optimizer, 9)).toBeCloseTo(0.0625 * 0.98 ** 3)
  expect(stepAfter(optimizer, 9)).toBe(0.0625)
})

test('begins to count anew with another limit', () => {
  const optimizer = new WindowOptimizer({ ...defaultOptimizer, adjustMultiplier: 1 })
  optimizer.setLimit(2)
  optimizer.used(1, 0)
  optimizer.setLimit(3)
  expect(optimizer.usesLeft).toBe(3)
})
