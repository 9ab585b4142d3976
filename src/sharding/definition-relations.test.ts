import { expect, test } from 'vitest'
import { Behaviors } from '../actor/index.ts'
import { ExternalShardAllocationStrategy } from './allocation/external-shard-allocation-strategy.ts'
import { LoadAwareAllocationStrategy } from './allocation/load-aware-allocation-strategy.ts'
import { checkedDefinition } from './checked-definition.ts'
import { problemsTogether } from './definition-relations.ts'
import { EntityTypeKey } from './entity-type-key.ts'
import { HashCodeMessageExtractor, Murmur2MessageExtractor } from './message-extractor.ts'
import type { KeyedDefinition } from './region-definition.ts'
import { type ShardingSettings, shardingSettings } from './sharding-settings.ts'

type Given = Partial<KeyedDefinition<unknown>>

function problemsOf(given: Given, settings: Partial<ShardingSettings> = {}): string[] {
  const whole = { key: new EntityTypeKey('Cart'), behavior: () => Behaviors.ignore, ...given }
  return problemsTogether(
    checkedDefinition(whole, 'init', () => []),
    shardingSettings(settings),
  )
}

test('a definition that says nothing goes with the defaults, as do strategies and leases with theirs', () => {
  const allocationStrategies = [
    undefined,
    new LoadAwareAllocationStrategy(),
    new ExternalShardAllocationStrategy(),
  ]
  for (const allocationStrategy of allocationStrategies) {
    const strategy = allocationStrategy === undefined ? {} : { allocationStrategy }
    expect(problemsOf({ ...strategy, lease: true })).toEqual([])
  }
})

test('an extractor for more shards than there are is refused, one for fewer is not', () => {
  expect(problemsOf({ extractor: new HashCodeMessageExtractor(128) })).toEqual([])
  expect(problemsOf({ extractor: new Murmur2MessageExtractor(10) })).toEqual([])
  const problem = (own: number): string =>
    `extractor is for ${own} shards, which must be at most numberOfShards (128), or no message reaches the shards above that`
  expect(problemsOf({ extractor: new HashCodeMessageExtractor(129) })).toEqual([problem(129)])
  expect(problemsOf({ extractor: new Murmur2MessageExtractor(200) })).toEqual([problem(200)])
})

test('the store has less time to say a place than the strategy has to think', () => {
  const allocationStrategy = new ExternalShardAllocationStrategy({ timeoutMs: 3_000 })
  expect(problemsOf({ allocationStrategy }, { strategyTimeoutMs: 3_001 })).toEqual([])
  expect(problemsOf({ allocationStrategy }, { strategyTimeoutMs: 3_000 })).toEqual([
    'timeoutMs of the allocation strategy (3000) must be less than strategyTimeoutMs (3000), or the default strategy decides before the store has answered',
  ])
})

test('loads are reported at least as often as shards move by them, where they do', () => {
  const often = { rebalanceIntervalMs: 4_000 }
  expect(problemsOf({}, often)).toEqual([])
  const allocationStrategy = new LoadAwareAllocationStrategy()
  expect(problemsOf({ allocationStrategy }, { ...often, loadReportIntervalMs: 4_000 })).toEqual([])
  expect(problemsOf({ allocationStrategy }, often)).toEqual([
    'loadReportIntervalMs (5000) must be at most rebalanceIntervalMs (4000), or shards are moved twice by the same figures',
  ])
})

test('a lease is given back within the time of a hand-off', () => {
  const lease = { settings: { operationTimeoutMs: 9_000 } }
  expect(problemsOf({ lease }, { handOffTimeoutMs: 9_001 })).toEqual([])
  expect(problemsOf({ lease: false }, { handOffTimeoutMs: 5_000 })).toEqual([])
  expect(problemsOf({ lease: true }, { handOffTimeoutMs: 5_000 })).toEqual([
    'lease.settings.operationTimeoutMs (5000) must be less than handOffTimeoutMs (5000), or a store that is slow fails a hand-off',
  ])
})
