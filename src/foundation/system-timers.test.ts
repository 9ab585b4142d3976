import { afterEach, describe, expect, test, vi } from 'vitest'
import { systemTimers } from './system-timers.ts'

const passed = (delayMs: number): Promise<number> => {
  const startMs = performance.now()
  return new Promise((resolve) => {
    systemTimers.after(delayMs, () => resolve(performance.now() - startMs))
  })
}

describe('systemTimers', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('never calls early on the monotonic clock', async () => {
    const delays = Array.from({ length: 100 }, (_, i) => i * 0.37)
    const measured = await Promise.all(delays.map(passed))
    for (const [i, ms] of measured.entries()) expect(ms).toBeGreaterThanOrEqual(delays[i]!)
  })

  test('does not call at once, even without delay', async () => {
    let isCalled = false
    systemTimers.after(0, () => {
      isCalled = true
    })
    expect(isCalled).toBe(false)
    await passed(5)
    expect(isCalled).toBe(true)
  })

  test('does not call once cancelled', async () => {
    let isCalled = false
    const timer = systemTimers.after(1, () => {
      isCalled = true
    })
    timer.cancel()
    timer.cancel()
    await passed(10)
    expect(isCalled).toBe(false)
  })

  test('waits longer than the longest timeout of the event loop', () => {
    vi.useFakeTimers()
    const dayMs = 86_400_000
    let calls = 0
    systemTimers.after(60 * dayMs, () => calls++)
    const cancelled = systemTimers.after(60 * dayMs, () => calls++)
    vi.advanceTimersByTime(59 * dayMs)
    expect(calls).toBe(0)
    cancelled.cancel()
    vi.advanceTimersByTime(2 * dayMs)
    expect([calls, vi.getTimerCount()]).toEqual([1, 0])
  })
})
