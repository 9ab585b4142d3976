import { describe, expect, test } from 'vitest'
import { DeadlineDetector } from './deadline-detector.ts'

/** Beats at the given times, with an interval of one second and a pause of four. */
const beating = (...times: readonly number[]) => {
  const detector = new DeadlineDetector({ intervalMs: 1_000, acceptablePauseMs: 4_000 })
  for (const time of times) detector.heartbeat(time)
  return detector
}

describe('RM-006 V-28 a deadline', () => {
  test('trusts whom it has never heard of', () => {
    const detector = beating()
    expect([detector.isAvailable(1e9), detector.isMonitoring]).toEqual([true, false])
  })

  test('notices one that is gone', () => {
    const detector = beating(0, 1_000, 1_100)
    expect([detector.isAvailable(1_200), detector.isAvailable(8_200)]).toEqual([true, false])
  })

  test('trusts again after a sign of life', () => {
    const detector = beating(...Array.from({ length: 1_000 }, (_, index) => index * 1_000))
    const back = 999_000 + 300_000
    expect(detector.isAvailable(back)).toBe(false)
    detector.heartbeat(back)
    expect([detector.isAvailable(back + 100), detector.isAvailable(back + 7_000)]).toEqual([
      true,
      false,
    ])
    detector.heartbeat(back + 7_000)
    expect(detector.isAvailable(back + 7_900)).toBe(true)
  })

  test('forgives an acceptable pause, and no more', () => {
    expect(beating(0, 1e3, 2e3, 3e3).isAvailable(7e3)).toBe(true)
    const detector = beating(0, 1e3, 2e3, 3e3, 4e3, 5e3, 5_500)
    const looks = [6_000, 10_499, 10_500, 11_000]
    expect(looks.map((at) => detector.isAvailable(at))).toEqual([true, true, false, false])
  })

  test('notices one that was expected and never came, and leaves out the time that we slept', () => {
    const detector = beating()
    detector.expect(0)
    expect([detector.isAvailable(4_999), detector.isAvailable(5_000)]).toEqual([true, false])
    detector.forgive(60_000, 60_000)
    expect([detector.isAvailable(64_999), detector.isAvailable(65_000)]).toEqual([true, false])
  })
})
