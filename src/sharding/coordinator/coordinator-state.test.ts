import { describe, expect, test } from 'vitest'
import { type CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

const registered = (region: string, isProxy = false): CoordinatorEvent => ({
  type: 'RegionRegistered',
  region,
  isProxy,
})
const allocated = (shard: number, home: string, epoch: number): CoordinatorEvent => ({
  type: 'ShardAllocated',
  shard,
  home,
  epoch,
})

describe('CoordinatorState', () => {
  const history = [registered('a'), registered('b'), allocated(7, 'a', 1), allocated(3, 'a', 2)]

  test('keeps the order of allocation', () => {
    const state = CoordinatorState.replay(history)
    expect(state.shardsOf('a')).toEqual([7, 3])
    expect(state.homeOf(3)).toEqual({ region: 'a', epoch: 2 })
    expect(state.lastEpoch).toBe(2)
  })

  test('leaves the shards of a dead region without a home', () => {
    const state = CoordinatorState.replay([...history, { type: 'RegionTerminated', region: 'a' }])
    expect([...state.homeless]).toEqual([7, 3])
    expect(state.homeOf(7)).toBeUndefined()
    state.apply(allocated(7, 'b', 3))
    expect([...state.homeless]).toEqual([3])
  })

  test('is the same after it was summed up', () => {
    const events: CoordinatorEvent[] = [
      ...[...history, registered('p', true), allocated(5, 'b', 3)],
      { type: 'ShardDeallocated', shard: 7, epoch: 1 },
    ]
    const state = CoordinatorState.replay(events)
    const again = CoordinatorState.of(state.sum())
    expect(again.sum()).toEqual(state.sum())
    expect([...again.hosts, again.lastEpoch, again.isProxy('p')]).toEqual(['a', 'b', 3, true])
    expect([again.shardsOf('a'), again.homeOf(5)]).toEqual([[3], { region: 'b', epoch: 3 }])
    expect([...again.homeless]).toEqual([7])
  })

  test('knows why a shard is where it is, as long as it is there, also when summed up', () => {
    const why = 'It had the fewest shards, 0, of 2 nodes.'
    const events = [...history, { ...allocated(5, 'b', 3), why }, { ...allocated(6, 'b', 4), why }]
    const state = CoordinatorState.replay(events as CoordinatorEvent[])
    expect([state.whyOf(5), state.whyOf(3)]).toEqual([why, undefined])
    expect(state.sum()).toMatchObject({ whys: [why], regions: [{}, { shards: [{ why: 0 }, {}] }] })
    const again = CoordinatorState.of(state.sum())
    expect([again.whyOf(5), again.whyOf(6), again.whyOf(3)]).toEqual([why, why, undefined])
    again.apply({ type: 'ShardDeallocated', shard: 5, epoch: 3 })
    again.apply({ type: 'RegionTerminated', region: 'b' })
    expect([again.whyOf(5), again.whyOf(6)]).toEqual([undefined, undefined])
  })

  test('knows by which number shards were counted when all regions are gone, also when summed up', () => {
    const state = CoordinatorState.replay([
      { type: 'RegionRegistered', region: 'a', isProxy: false, numberOfShards: 16 },
      { type: 'RegionTerminated', region: 'a' },
    ])
    expect([state.numberOfShards, CoordinatorState.of(state.sum()).numberOfShards]).toEqual([
      16, 16,
    ])
  })

  test('gives no epoch again after it was summed up, also when the last life has ended', () => {
    const ended: CoordinatorEvent = { type: 'ShardDeallocated', shard: 3, epoch: 2 }
    const again = CoordinatorState.of(CoordinatorState.replay([...history, ended]).sum())
    expect(again.lastEpoch).toBe(2)
    expect(() => again.apply(allocated(3, 'b', 2))).toThrow('Invariant broken')
  })

  test.each<[string, CoordinatorEvent]>([
    ['a region registers twice', registered('a')],
    ['an unknown region terminates', { type: 'RegionTerminated', region: 'x' }],
    ['a shard has two homes', allocated(7, 'b', 3)],
    ['a home is not a region', allocated(8, 'x', 3)],
    ['an epoch comes again', allocated(8, 'b', 2)],
    ['another life ends', { type: 'ShardDeallocated', shard: 7, epoch: 2 }],
  ])('does not replay that %s', (_what, event) => {
    expect(() => CoordinatorState.replay([...history, event])).toThrow('Invariant broken')
  })

  test('gives no shard to a proxy', () => {
    expect(() => CoordinatorState.replay([registered('p', true), allocated(1, 'p', 1)])).toThrow(
      'hosts',
    )
  })
})
