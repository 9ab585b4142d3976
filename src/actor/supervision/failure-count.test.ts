import { describe, expect, test } from 'vitest'
import { FailureCount } from './failure-count.ts'
import { SupervisorStrategy } from './supervisor-strategy.ts'

describe('FailureCount', () => {
  test('allows as many restarts as the limit within the window, and counts anew after it', () => {
    const count = new FailureCount(SupervisorStrategy.restart({ restartsMax: 2, within: '1s' }))
    const answers = [0, 500, 999, 1_000, 1_500, 1_999, 2_000].map(
      (nowMs) => count.failed(nowMs, 0).mayRestart,
    )
    expect(answers).toEqual([true, true, false, true, true, false, true])
  })

  test('allows no restart with a limit of nothing', () => {
    const count = new FailureCount(SupervisorStrategy.restart({ restartsMax: 0, within: '1s' }))
    expect(count.failed(0, 0).mayRestart).toBe(false)
    expect(count.failed(5_000, 0).mayRestart).toBe(false)
  })

  test('keeps the delay a number, whatever chance adds to it', () => {
    const [min, max] = [Number.MAX_VALUE, Number.MAX_VALUE]
    const strategy = SupervisorStrategy.restartWithBackoff({ min, max })
    expect(new FailureCount(strategy).failed(0, 0.5).delayMs).toBe(Number.MAX_VALUE)
  })

  test('doubles the delay up to the longest', () => {
    const count = new FailureCount(
      SupervisorStrategy.restartWithBackoff({ min: '1s', max: '10s', randomFactor: 0 }),
    )
    let nowMs = 0
    const delays = Array.from({ length: 6 }, () => {
      const { delayMs } = count.failed(nowMs, 0.5)
      nowMs += delayMs
      return delayMs
    })
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
  })

  test('lengthens the delay by chance, at most by the random factor', () => {
    const count = new FailureCount(
      SupervisorStrategy.restartWithBackoff({ min: '1s', max: '10s', randomFactor: 0.2 }),
    )
    expect(count.failed(0, 0.5).delayMs).toBe(1_100)
  })

  test('counts anew after a quiet time of the mean of min and max', () => {
    const count = new FailureCount(
      SupervisorStrategy.restartWithBackoff({
        min: '1s',
        max: '9s',
        randomFactor: 0,
        restartsMax: 1,
      }),
    )
    expect(count.failed(0, 0)).toEqual({ mayRestart: true, delayMs: 1_000, failures: 1 })
    // The restart was at 1,000; 4,999 ms of quiet are too short, 5,000 are enough.
    expect(count.failed(5_999, 0).mayRestart).toBe(false)
    const other = new FailureCount(
      SupervisorStrategy.restartWithBackoff({
        min: '1s',
        max: '9s',
        randomFactor: 0,
        restartsMax: 1,
      }),
    )
    other.failed(0, 0)
    expect(other.failed(6_000, 0)).toEqual({ mayRestart: true, delayMs: 1_000, failures: 1 })
  })
})

describe('SupervisorStrategy', () => {
  test('refuses what cannot be meant, all of it at once', () => {
    const make = () =>
      SupervisorStrategy.restartWithBackoff({
        min: 0,
        max: -0,
        randomFactor: 2,
        restartsMax: -1,
        stashedMessagesMax: 1.5,
      })
    expect(make).toThrow(/restartsMax[^]*stashedMessagesMax[^]*min must[^]*randomFactor/)
    expect(() => SupervisorStrategy.restart({ restartsMax: Number.NaN })).toThrow(/restartsMax/)
    expect(() => SupervisorStrategy.restartWithBackoff({ min: '2s', max: '1s' })).toThrow(
      /max cannot be shorter/,
    )
  })
})
