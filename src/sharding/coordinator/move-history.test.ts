import { expect, test } from 'vitest'
import { type CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'
import { MoveHistory } from './move-history.ts'

function historyOf(events: readonly CoordinatorEvent[], leaving: readonly string[] = []) {
  const state = new CoordinatorState()
  const history = new MoveHistory()
  for (const region of leaving) history.leaves(region)
  for (const [index, event] of events.entries()) {
    history.note(event, state, index * 10)
    state.apply(event)
  }
  return history
}

const registered = (region: string): CoordinatorEvent => ({
  ...{ type: 'RegionRegistered', region, isProxy: false },
})
const allocated = (home: string, epoch: number): CoordinatorEvent => ({
  ...{ type: 'ShardAllocated', shard: 1, home, epoch },
})
const ended = (epoch: number): CoordinatorEvent => ({ type: 'ShardDeallocated', shard: 1, epoch })

test('tells from where a shard came, where it went, why, and how long ago', () => {
  const history = historyOf(
    [
      ...[registered('a'), registered('b'), registered('c'), allocated('a', 1)],
      ...[ended(1), allocated('b', 2), ended(2), allocated('c', 3)],
      ...[{ type: 'RegionTerminated', region: 'c' } as const, allocated('a', 4)],
    ],
    ['b'],
  )
  expect(history.of(1, 100)).toEqual([
    { to: 'a', epoch: 1, why: 'first-use', agoMs: 70 },
    { from: 'a', to: 'b', epoch: 2, why: 'rebalance', agoMs: 50 },
    { from: 'b', to: 'c', epoch: 3, why: 'leaving', agoMs: 30 },
    { from: 'c', to: 'a', epoch: 4, why: 'home-gone', agoMs: 10 },
  ])
  expect(history.of(2, 100)).toEqual([])
})

test('keeps the last five of a shard', () => {
  const moves = Array.from({ length: 20 }, (_, index) => [
    allocated('a', index + 1),
    ended(index + 1),
  ])
  const history = historyOf([registered('a'), ...moves.flat()])
  expect(history.of(1, 0).map(({ epoch }) => epoch)).toEqual([16, 17, 18, 19, 20])
})
