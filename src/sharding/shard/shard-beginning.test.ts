import { expect, test } from 'vitest'
import { shardingSettings } from '../sharding-settings.ts'
import { RememberedEntities } from './remembered-entities.ts'
import { type BeginningInput, ShardBeginning } from './shard-beginning.ts'

function beginning({ hasLease = false, remembers = false }) {
  const remembered = remembers ? new RememberedEntities() : undefined
  const made = new ShardBeginning({ settings: shardingSettings({}), hasLease, remembered })
  const step = (type: Exclude<BeginningInput['type'], 'Loading' | 'TimerFired'>) =>
    made.step({ type }).map((effect) => effect.type)
  const load = (...started: readonly string[]) =>
    made.step({ type: 'Loading', change: { started, stopped: [] } }).length
  return { made, step, load, remembered }
}

test('a shard with neither lease nor store has nothing to wait for', () => {
  expect(beginning({}).made.isDone).toBe(true)
})

test('a shard with both asks nothing of its store before it has the lease', () => {
  const { made, step, load, remembered } = beginning({ hasLease: true, remembers: true })
  expect(step('Begin')).toEqual(['AcquireLease'])
  expect(load('early')).toBe(0)
  expect(step('Loaded')).toEqual([])
  expect(step('LeaseRefused')).toEqual(['StartTimer'])
  expect(made.isLoading).toBe(false)
  expect(made.step({ type: 'TimerFired', timer: 'lease' })).toEqual([{ type: 'AcquireLease' }])
  expect(step('LeaseAcquired')).toEqual(['LoadRemembered', 'StartTimer'])
  // Each part gives the next one the whole time.
  expect(load('a')).toBe(1)
  expect([...remembered!.asleep]).toEqual(['a'])
  expect(made.isDone).toBe(false)
  expect(step('Loaded')).toEqual([])
  expect(made.isDone).toBe(true)
})

test('answers that come late change nothing', () => {
  const { made, step } = beginning({ hasLease: true, remembers: true })
  step('Begin')
  step('LeaseAcquired')
  expect(step('LeaseAcquired')).toEqual([])
  expect(step('LeaseRefused')).toEqual([])
  expect(made.step({ type: 'TimerFired', timer: 'lease' })).toEqual([])
  expect(made.isLoading).toBe(true)
})

test('a shard begins once', () => {
  const { step } = beginning({ remembers: true })
  step('Begin')
  expect(() => step('Begin')).toThrow('a shard begins once')
})
