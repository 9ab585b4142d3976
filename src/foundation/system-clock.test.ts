import { expect, test } from 'vitest'
import { systemClock } from './system-clock.ts'

test('monotonic time never goes back', () => {
  let last = systemClock.monotonicMs()
  for (let i = 0; i < 10_000; i++) {
    const now = systemClock.monotonicMs()
    expect(now >= last).toBe(true)
    last = now
  }
})

test('wall time is milliseconds since 1970', () => {
  const before = Date.now()
  const wallMs = systemClock.wallMs()
  expect(wallMs).toBeGreaterThanOrEqual(before)
  expect(wallMs).toBeLessThanOrEqual(Date.now())
})
