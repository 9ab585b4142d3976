import { describe, expect, test } from 'vitest'
import type { ShardAllocationStrategy } from './shard-allocation-strategy.ts'
import { type StrategyQuestion, askStrategy } from './strategy-questions.ts'

const cluster = { members: new Map(), unreachable: new Set<string>() }
const question: StrategyQuestion = {
  type: 'Allocate',
  shards: [1, 2, 3].map((shard) => ({ shard, requester: undefined })),
  allocations: new Map([
    ['a', []],
    ['b', [9]],
  ]),
  cluster,
}
const fewest: ShardAllocationStrategy['allocateShard'] = ({ allocations }) =>
  [...allocations].sort(([, x], [, y]) => x.length - y.length)[0]?.[0]

describe('askStrategy', () => {
  test('counts each choice before the next is made, at once if the strategy can', () => {
    const strategy = { allocateShard: fewest, rebalance: () => [] }
    expect(askStrategy(strategy, question, () => {})).toEqual({
      type: 'Allocate',
      homes: new Map([
        [1, 'a'],
        [2, 'a'],
        [3, 'b'],
      ]),
    })
  })

  test('waits for a strategy that promises', async () => {
    const strategy: ShardAllocationStrategy = {
      allocateShard: async (request) => fewest(request),
      rebalance: async () => [7],
    }
    const answer = await askStrategy(strategy, question, () => {})
    expect(answer.type === 'Allocate' && answer.homes.size).toBe(3)
    const rebalance = {
      type: 'Rebalance',
      allocations: new Map(),
      inProgress: new Set<number>(),
      cluster,
    } as const
    expect(await askStrategy(strategy, rebalance, () => {})).toEqual({
      type: 'Rebalance',
      shards: [7],
    })
  })

  test('leaves out shards for which the strategy fails or names nobody', async () => {
    const failures: unknown[] = []
    const strategy: ShardAllocationStrategy = {
      allocateShard: ({ shard }) => {
        if (shard === 1) throw new Error('at once')
        return shard === 2 ? Promise.reject(new Error('later')) : 'stranger'
      },
      rebalance: () => {
        throw new Error('no')
      },
    }
    const answer = await askStrategy(strategy, question, (error) => failures.push(error))
    expect(answer).toEqual({ type: 'Allocate', homes: new Map() })
    expect(failures).toHaveLength(2)
  })
})
