import { describe, expect, test } from 'vitest'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { detectionSpreadMs, detectionTimeMs, detectorOptions } from './detection-time.ts'
import { IntervalHistory, PhiAccrual, type PhiAccrualOptions, phiOf } from './phi-accrual.ts'

const detector = (options: Partial<PhiAccrualOptions> = {}) =>
  new PhiAccrual({
    threshold: 8,
    samplesMax: 1_000,
    deviationMinMs: 100,
    deviationMaxMs: Infinity,
    meanMaxMs: Infinity,
    acceptablePauseMs: 0,
    firstIntervalMs: 1_000,
    ...options,
  })

/** Beats at the given times; the last time is the moment of looking. */
const beating = (times: readonly number[], options: Partial<PhiAccrualOptions> = {}) => {
  const phi = detector(options)
  for (const time of times) phi.heartbeat(time)
  return phi
}

describe('RM-006 V-28 phi', () => {
  test.each([
    [0, 1000, 100, 0],
    [500, 1000, 100, 0],
    [900, 1000, 100, 0.075033],
    [1000, 1000, 100, 0.30103],
    [1100, 1000, 100, 0.799508],
    [1100, 1000, 500, 0.376074],
    [1200, 1000, 100, 1.642828],
    [1400, 1000, 100, 4.736695],
    [1600, 1000, 100, 10.782601],
    [1700, 1000, 100, 15.368526],
    [10, 0, 1, 37.584713],
    [-25, 0, 1, 0],
    [22, 20, 3, 0.59795],
    [0, 0, 10, 0.30103],
    [6, 0, 10, 0.562054],
    [15, 0, 10, 1.174269],
    [20, 0, 10, 1.642828],
    [25, 0, 10, 2.216071],
    [35, 0, 10, 3.742445],
    [40, 0, 10, 4.736695],
  ])('of %d at mean %d and deviation %d is %d', (t, mean, deviation, phi) => {
    expect(Number(phiOf(t, mean, deviation).toFixed(6))).toBe(phi)
  })

  test.each([
    [0, 1000, 100, 0, 0.1],
    [500, 1000, 100, 0.1, 0.1],
    [1000, 1000, 100, 0.3, 0.1],
    [1200, 1000, 100, 1.6, 0.1],
    [1400, 1000, 100, 4.7, 0.1],
    [1600, 1000, 100, 10.8, 0.1],
    [1700, 1000, 100, 15.3, 0.1],
    [10, 0, 1, 38, 1],
    [-25, 0, 1, 0, 0],
  ])(
    'of %d at mean %d and deviation %d is what is published: %d, give or take %d',
    (t, mean, deviation, phi, tolerance) => {
      expect(Math.abs(phiOf(t, mean, deviation) - phi)).toBeLessThanOrEqual(tolerance)
    },
  )

  test('grows faster where less deviation is known', () => {
    expect(phiOf(1100, 1000, 100)).toBeGreaterThan(phiOf(1100, 1000, 500))
  })

  test.each([
    [22, 20, 3, 0.7475],
    [0, 0, 10, 0.5],
    [6, 0, 10, 0.7257],
    [15, 0, 10, 0.9332],
    [20, 0, 10, 0.97725],
    [25, 0, 10, 0.99379],
    [35, 0, 10, 0.99977],
    [40, 0, 10, 0.99997],
  ])('of %d at mean %d and deviation %d stands for the normal distribution: %d', (...row) => {
    const [t, mean, deviation, cdf] = row
    expect(Math.abs(1 - 10 ** -phiOf(t, mean, deviation) - cdf)).toBeLessThan(0.001)
  })

  test('learns from a bounded history', () => {
    const history = new IntervalHistory(10)
    history.add(100)
    expect(history.variance).toBe(0)
    for (const value of [200, 125, 340, 130]) history.add(value)
    expect([history.mean, history.variance]).toEqual([179, 7584])
    const short = new IntervalHistory(3)
    for (const value of [100, 110, 90]) short.add(value)
    expect(short.variance).toBeCloseTo(66.6667, 4)
    short.add(140)
    expect([short.mean, short.variance]).toEqual([
      expect.closeTo(113.3333, 4),
      expect.closeTo(422.2222, 4),
    ])
    short.add(80)
    expect([short.mean, short.variance]).toEqual([
      expect.closeTo(103.3333, 4),
      expect.closeTo(688.8889, 4),
    ])
  })
})

describe('RM-006 V-28 a detector', () => {
  test('trusts whom it has never heard of', () => {
    const phi = detector()
    expect([phi.phi(1e9), phi.isAvailable(1e9), phi.isMonitoring]).toEqual([0, true, false])
  })

  test('grows suspicious of silence', () => {
    const phi = beating([0])
    expect(Math.abs(phi.phi(1_000) - 0.3)).toBeLessThan(0.2)
    expect(Math.abs(phi.phi(2_000) - 4.5)).toBeLessThan(0.3)
    expect(phi.phi(3_000)).toBeGreaterThan(15)
  })

  test('notices one that is gone', () => {
    const phi = beating([0, 1_000, 1_100], { threshold: 3 })
    expect(phi.isAvailable(1_200)).toBe(true)
    expect(phi.isAvailable(8_200)).toBe(false)
  })

  test('trusts again after a sign of life, and does not learn from the pause', () => {
    const beats = Array.from({ length: 1_000 }, (_, index) => index * 1_000)
    const phi = beating(beats, { acceptablePauseMs: 3_000 })
    const back = 999_000 + 300_000
    expect(phi.isAvailable(back)).toBe(false)
    phi.heartbeat(back)
    expect(phi.isAvailable(back + 100)).toBe(true)
    expect(phi.isAvailable(back + 7_000)).toBe(false)
    phi.heartbeat(back + 7_000)
    expect(phi.isAvailable(back + 7_100)).toBe(true)
  })

  test('forgives an acceptable pause, and no more', () => {
    expect(beating([0, 1e3, 2e3, 3e3], { acceptablePauseMs: 3_000 }).isAvailable(7e3)).toBe(true)
    const phi = beating([0, 1e3, 2e3, 3e3, 4e3, 5e3, 5_500], { acceptablePauseMs: 3_000 })
    expect([phi.isAvailable(6_000), phi.isAvailable(11_000)]).toEqual([true, false])
  })

  test('forgets the rhythm of long ago', () => {
    const phi = detector({ samplesMax: 3 })
    const look = (start: number, step: number) => {
      for (let beat = 1; beat <= 5; beat++) phi.heartbeat(start + beat * step)
      return phi.phi(start + 6 * step)
    }
    expect(Math.abs(look(0, 100) - look(500, 500))).toBeLessThan(0.001)
  })

  test('notices one that was expected and never came, and does not learn from the expectation', () => {
    const phi = detector()
    phi.expect(0)
    expect([phi.isAvailable(1_000), phi.isAvailable(4_000)]).toEqual([true, false])
    const answered = detector()
    answered.expect(0)
    answered.heartbeat(5)
    expect(answered.phi(1_005)).toBeCloseTo(beating([5]).phi(1_005), 6)
  })

  test('leaves out the time that we slept', () => {
    const phi = beating([0, 1_000])
    phi.forgive(60_000, 61_000)
    expect([phi.isAvailable(61_900), phi.isAvailable(64_000)]).toEqual([true, false])
  })

  test('leaves out no more than the time since it has heard something', () => {
    const phi = beating([0, 1_000])
    phi.forgive(1_800, 1_050)
    const heard = beating([0, 1_000])
    heard.forgive(50, 1_050)
    expect(phi.phi(3_000)).toBe(heard.phi(3_000))
  })
})

describe('at the defaults', () => {
  test('silence is noticed between 6.5 and 7.6 s after the last answer, by all within 2.1 s', () => {
    const { least, most } = detectionTimeMs(defaultClusterSettings)
    expect([Math.round(least), Math.round(most)]).toEqual([6523, 7545])
    expect(Math.round(detectionSpreadMs(defaultClusterSettings))).toBe(2023)
  })

  test('one hiccup in a short history does not put off the alarm', () => {
    const options = detectorOptions(defaultClusterSettings)
    const phi = beating([0, 1_000, 4_900, 5_900], options)
    const { most } = detectionTimeMs(defaultClusterSettings)
    expect(phi.isAvailable(5_900 + 6_400)).toBe(true)
    expect(phi.isAvailable(5_900 + most)).toBe(false)
  })
})
