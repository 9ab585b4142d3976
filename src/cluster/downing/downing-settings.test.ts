import { describe, expect, test } from 'vitest'
import { defaultClusterSettings } from '../cluster-settings.ts'
import { defaultDowningSettings, stableAfterMs, unstableMsMax } from './downing-settings.ts'

describe('how long to wait', () => {
  test.each([
    [1, 2_500],
    [4, 2_500],
    [5, 3_627],
    [10, 7_127],
    [20, 10_627],
    [50, 15_253],
    [100, 18_753],
    [1_000, 30_380],
  ])('%d members: %d ms', (members, ms) => {
    expect(stableAfterMs(defaultDowningSettings, members, defaultClusterSettings)).toBe(ms)
  })

  test('instability is given three quarters more, at least ten seconds', () => {
    expect(unstableMsMax(defaultDowningSettings, 2_500)).toBe(10_000)
    expect(unstableMsMax(defaultDowningSettings, 20_000)).toBe(15_000)
  })
})
