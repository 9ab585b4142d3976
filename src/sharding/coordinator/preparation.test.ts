import { describe, expect, test } from 'vitest'
import { shardingSettings } from '../sharding-settings.ts'
import type { CoordinatorEffect } from './coordinator-inputs.ts'
import { CoordinatorMachine } from './coordinator-machine.ts'
import { CoordinatorState } from './coordinator-state.ts'

/** Shard 2 is on b, the others on a; two may move at a time; the whole cluster is about to stop when `prepare` was said. */
function coordinator() {
  const state = CoordinatorState.replay([
    { type: 'RegionRegistered', region: 'a', isProxy: false },
    { type: 'RegionRegistered', region: 'b', isProxy: false },
    ...[1, 2, 3, 4].map(
      (shard) =>
        ({ type: 'ShardAllocated', shard, home: shard === 2 ? 'b' : 'a', epoch: shard }) as const,
    ),
  ])
  const settings = shardingSettings({ numberOfShards: 16, handOffsMax: 2 })
  const machine = new CoordinatorMachine({ term: 3, state, settings })
  const members = new Map([
    ['a', 'Up'],
    ['b', 'Up'],
  ] as const)
  machine.step({ type: 'Started', cluster: { members, unreachable: new Set() } })
  const moving = () => machine.snapshot().handOffs.map(({ shard }) => shard)
  const prepare = () => machine.step({ type: 'PrepareForShutdown', region: 'b' })
  return { machine, moving, prepare }
}

describe('before the stop of the whole cluster', () => {
  test('a region that stops is given no shard any more, and none is taken from it', () => {
    const { machine, moving, prepare } = coordinator()
    prepare()
    machine.step({ type: 'GracefulShutdownReq', region: 'a' })
    machine.step({ type: 'TimerFired', timer: 'retry' })
    expect(moving()).toEqual([])
    const [asked] = machine.step({ type: 'GetShardHome', shard: 5, region: 'b' })
    const { question } = asked as Extract<CoordinatorEffect, { type: 'AskStrategy' }>
    expect([...question.allocations.keys()]).toEqual(['b'])
  })

  test('what was chosen before, or is answered now, stays where it is', () => {
    const { machine, moving, prepare } = coordinator()
    const choose = (ask: number, shards: number[]) =>
      machine.step({ type: 'StrategyAnswered', ask, answer: { type: 'Rebalance', shards } })
    const stop = (shard: number, region: string) =>
      machine.step({ type: 'ShardStopped', shard, epoch: shard, region })
    machine.step({ type: 'TimerFired', timer: 'rebalance' })
    choose(1, [1, 2, 3])
    expect(moving()).toEqual([1, 2])
    machine.step({ type: 'TimerFired', timer: 'rebalance' })
    prepare()
    choose(2, [4])
    stop(1, 'a')
    stop(2, 'b')
    expect(moving()).toEqual([])
  })

  test('one that was leaving keeps what has not begun to move, and what somebody wants to be stopped still is', () => {
    const { machine, moving, prepare } = coordinator()
    machine.step({ type: 'GracefulShutdownReq', region: 'a' })
    expect(moving()).toEqual([1, 3])
    prepare()
    machine.step({ type: 'ShardStopped', shard: 1, epoch: 1, region: 'a' })
    expect(moving()).toEqual([3])
    machine.step({ type: 'StopShards', ask: 1, region: 'b', shards: [2] })
    expect(moving()).toEqual([3, 2])
  })
})
