import { expect, test } from 'vitest'
import {
  defaultShardingSettings,
  problemsWithShardingSettings,
  shardingSettings,
} from './sharding-settings.ts'

test('defaults have no problems', () => {
  expect(problemsWithShardingSettings(defaultShardingSettings)).toEqual([])
  expect(shardingSettings()).toEqual(defaultShardingSettings)
})

test('SH-054 the sweep is half of the idle time unless it was chosen', () => {
  expect(defaultShardingSettings.passivateIdleAfterMs).toBe(120_000)
  expect(defaultShardingSettings.passivationSweepIntervalMs).toBe(60_000)
  const idle = { passivateIdleAfterMs: 42_000 }
  expect(shardingSettings(idle).passivationSweepIntervalMs).toBe(21_000)
  expect(
    shardingSettings({ ...idle, passivationSweepIntervalMs: 1_000 }).passivationSweepIntervalMs,
  ).toBe(1_000)
  expect(
    problemsWithShardingSettings(shardingSettings({ passivateIdleAfterMs: Infinity })),
  ).toEqual([])
})

test('a name that is none is told with those there are', () => {
  const [problem] = problemsWithShardingSettings(shardingSettings({ numberOfShard: 8 } as object))
  expect(problem).toContain('numberOfShard is not a setting; known are numberOfShards, ')
})

test('all problems are told at once', () => {
  const problems = problemsWithShardingSettings({
    ...defaultShardingSettings,
    numberOfShards: 0,
    retryIntervalMs: 70_000,
    handOffForceMarginMs: 60_000,
    rebalanceRelativeLimit: 2,
    rebalanceIntervalMs: NaN,
    passivateIdleAfterMs: 0,
  })
  expect(problems).toEqual([
    'rebalanceIntervalMs must be positive, not NaN',
    'numberOfShards must be a whole number of at least 1, not 0',
    'rebalanceRelativeLimit must be above 0 and at most 1, not 2',
    'passivateIdleAfterMs must be positive, not 0',
    'handOffForceMarginMs (60000) must be less than handOffTimeoutMs (60000), or entities get no time to stop',
    'retryIntervalMs (70000) must be less than handOffTimeoutMs (60000), or one lost message fails a hand-off',
  ])
})
