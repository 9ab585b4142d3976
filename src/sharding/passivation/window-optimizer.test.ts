import { expect, test } from 'vitest'
import { defaultOptimizer } from './passivation-options.ts'
import { WindowOptimizer } from './window-optimizer.ts'

/** One period of ten uses, so many of them hits; the step at its end. */
function stepAfter(optimizer: WindowOptimizer, hits: number): number {
  const times = Array.from({ length: 10 }, (_, use) => optimizer.used(use < hits))
  expect(times).toEqual([...Array.from({ length: 9 }, () => false), true])
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
  expect(optimizer.used(true)).toBe(false)
  optimizer.setLimit(3)
  expect([1, 2, 3].map(() => optimizer.used(true))).toEqual([false, false, true])
})
