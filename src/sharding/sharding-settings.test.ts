import { expect, test } from 'vitest'
import {
  defaultShardingSettings,
  type ShardingSettings,
  shardingSettings,
  shardingSettingsTable,
} from './sharding-settings.ts'

const problemsWith = (settings: ShardingSettings, handlerStopTimeoutMs = 3_000): string[] =>
  shardingSettingsTable.problemsWith(settings, {
    'actor.handlerStopTimeoutMs': handlerStopTimeoutMs,
    'the time of the phase cluster-sharding-shutdown-region': 10_000,
  })

test('defaults have no problems', () => {
  expect(problemsWith(defaultShardingSettings)).toEqual([])
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
  expect(problemsWith(shardingSettings({ passivateIdleAfterMs: Infinity }))).toEqual([])
})

test('a name that is none is told with those there are', () => {
  const [problem] = problemsWith(shardingSettings({ numberOfShard: 8 } as object))
  expect(problem).toContain('`numberOfShard` is not a setting; did you mean `numberOfShards`?')
})

test('all problems are told at once', () => {
  const problems = problemsWith({
    ...defaultShardingSettings,
    numberOfShards: 0,
    retryIntervalMs: 70_000,
    stopGraceMs: 60_000,
    stopTimeoutMs: 60_000,
    rebalanceShareMax: 2,
    rebalanceIntervalMs: NaN,
    passivateIdleAfterMs: 0,
    gracefulShutdownTimeoutMs: 7_000,
  })
  expect(problems).toEqual([
    'numberOfShards must be a whole number of at least 1, not 0',
    'rebalanceIntervalMs must be a positive number of milliseconds, not NaN',
    'rebalanceShareMax must be above 0 and at most 1, not 2',
    'passivateIdleAfterMs must be a positive number of milliseconds, or Infinity, not 0',
    'stopGraceMs (60000) must be less than stopTimeoutMs (60000), or a command is forced to stop before it was told to end',
    'stopGraceMs (60000) must be less than passivationTimeoutMs (60000), or an entity that shall rest is forced to stop before it was told to end',
    'stopTimeoutMs (60000) must be less than handOffTimeoutMs (60000), or one slow command fails a hand-off',
    'retryIntervalMs (70000) must be less than handOffTimeoutMs (60000), or one lost message fails a hand-off',
    'gracefulShutdownTimeoutMs (7000) and actor.handlerStopTimeoutMs (3000) together must be less than the time of the phase cluster-sharding-shutdown-region (10000), or a node is not done with its entities in time',
  ])
})

test('entities that are forced to stop must be able to within the phase', () => {
  expect(problemsWith(defaultShardingSettings, 3_999)).toEqual([])
  expect(problemsWith(defaultShardingSettings, 4_000)).toHaveLength(1)
})

test('an entity that shall rest is told to end before it is forced to', () => {
  const settings = { ...defaultShardingSettings, stopGraceMs: 900 }
  expect(problemsWith({ ...settings, passivationTimeoutMs: 901 })).toEqual([])
  expect(problemsWith({ ...settings, passivationTimeoutMs: 900 })).toEqual([
    'stopGraceMs (900) must be less than passivationTimeoutMs (900), or an entity that shall rest is forced to stop before it was told to end',
  ])
})
