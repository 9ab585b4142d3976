/** A region that has nobody to hand its shards to does not wait for that. */
import { describe, expect, test } from 'vitest'
import { shardingSettings } from '../sharding-settings.ts'
import type { RegionInput } from './region-inputs.ts'
import { RegionMachine } from './region-machine.ts'

const settings = shardingSettings({ numberOfShards: 16 })

/** Hosts shard 7; answers the types of its effects. */
function hosting() {
  const machine = new RegionMachine<string>({ self: 'me', isProxy: false, settings })
  const step = (input: RegionInput<string>) => machine.step(input).map(({ type }) => type)
  step({ type: 'Started', candidates: ['k'] })
  const home = { shard: 7, home: 'me', epoch: 1, term: 1, turn: 1 }
  const message = { type: 'HostShard', ...home } as const
  step({ type: 'FromCoordinator', coordinator: 'k', message })
  return { machine, step }
}

const asks = ['StartTimer', 'SendToCoordinator']

describe('RegionMachine', () => {
  test('lets its shards be taken while it is a member', () => {
    const { machine, step } = hosting()
    expect(step({ type: 'GracefulShutdown', isMember: true })).toEqual(asks)
    expect(machine.snapshot().phase).toBe('leaving')
  })

  test('ends its shards itself when its node is no member, or was given up', () => {
    const { step } = hosting()
    expect(step({ type: 'GracefulShutdown', isMember: false })).toEqual([...asks, 'StopShard'])
    expect(step({ type: 'ShardTerminated', shard: 7 })).toContain('Finish')
  })

  test('ends its shards itself when it is frozen', () => {
    const { step } = hosting()
    step({ type: 'Frozen' })
    expect(step({ type: 'GracefulShutdown', isMember: true })).toEqual([...asks, 'StopShard'])
  })

  test.each(['serving', 'leaving'])('ends its shards at once when time is up while %s', (phase) => {
    const { machine, step } = hosting()
    if (phase === 'leaving') step({ type: 'GracefulShutdown', isMember: true })
    expect(machine.snapshot().phase).toBe(phase)
    expect(step({ type: 'EndNow' })).toContain('StopShard')
    expect(step({ type: 'ShardTerminated', shard: 7 })).toContain('Finish')
    expect(step({ type: 'EndNow' })).toEqual([])
  })
})
