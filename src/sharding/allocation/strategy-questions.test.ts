import { describe, expect, test } from 'vitest'
import { LeastShardAllocationStrategy } from './least-shard-allocation-strategy.ts'
import type { ShardAllocationStrategy } from './shard-allocation-strategy.ts'
import {
  type AllocateQuestion,
  askStrategy,
  type RebalanceQuestion,
  type StrategyHelp,
} from './strategy-questions.ts'

const cluster = {
  members: new Map([
    ['a', 'Up' as const],
    ['b', 'Up' as const],
  ]),
  unreachable: new Set<string>(),
}
const allocations = new Map([
  ['a', []],
  ['b', [9]],
])
const question: AllocateQuestion = {
  type: 'Allocate',
  shards: [1, 2, 3].map((shard) => ({ shard, requester: undefined })),
  allocations,
  cluster,
}
const balance: RebalanceQuestion = {
  type: 'Rebalance',
  allocations,
  inProgress: new Set(),
  cluster,
}
const fewest: ShardAllocationStrategy['allocateShard'] = ({ allocations: counted }) =>
  [...counted].sort(([, x], [, y]) => x.length - y.length)[0]?.[0]
const good: ShardAllocationStrategy = { allocateShard: fewest, rebalance: () => [9] }

/** Asks, with the default strategy for when it fails; what went wrong comes with the answer. */
async function ask(
  strategy: Partial<ShardAllocationStrategy>,
  asked: typeof question | typeof balance,
) {
  const problems: string[] = []
  const help: StrategyHelp = {
    onFailure: (problem) => problems.push(problem),
    inItsPlace: new LeastShardAllocationStrategy({ shardsMax: 1, shareMax: 1 }),
  }
  const answer = await askStrategy({ ...good, ...strategy }, asked, help)
  return { answer, problems }
}

describe('askStrategy', () => {
  const onFailure = (problem: string): never => expect.unreachable(problem)
  const homes = new Map([
    [1, 'a'],
    [2, 'a'],
    [3, 'b'],
  ])

  test('counts each choice before the next is made, at once if the strategy can', () => {
    expect(askStrategy(good, question, { onFailure })).toEqual({ type: 'Allocate', homes })
    expect(askStrategy(good, balance, { onFailure })).toEqual({ type: 'Rebalance', shards: [9] })
  })

  test('waits for a strategy that promises', async () => {
    const strategy: ShardAllocationStrategy = {
      allocateShard: async (request) => fewest(request),
      rebalance: async () => [9],
    }
    expect(await askStrategy(strategy, question, { onFailure })).toEqual({
      type: 'Allocate',
      homes,
    })
    expect(await askStrategy(strategy, balance, { onFailure })).toEqual({
      type: 'Rebalance',
      shards: [9],
    })
  })

  test('takes a reason along, and no more of it than 200 characters', async () => {
    const why = 'because '.repeat(40)
    const { answer } = await ask({ allocateShard: () => ({ home: 'b', why }) }, question)
    const whys = new Map([1, 2, 3].map((shard) => [shard, why.slice(0, 200)]))
    expect(answer).toMatchObject({
      homes: new Map([
        [1, 'b'],
        [2, 'b'],
        [3, 'b'],
      ]),
      whys,
    })
  })

  test('takes sets, and lets the next round follow where the strategy settles', async () => {
    const { answer, problems } = await ask(
      { rebalance: () => new Set([9]), settles: true },
      balance,
    )
    expect(answer).toEqual({ type: 'Rebalance', shards: [9], maySettle: true })
    expect(problems).toEqual([])
    expect((await ask({ rebalance: () => [], settles: true }, balance)).answer).toEqual({
      type: 'Rebalance',
      shards: [],
    })
  })

  test('leaves out a shard for which the strategy wants to be asked again', async () => {
    const { answer, problems } = await ask(
      { allocateShard: ({ shard }) => (shard === 2 ? undefined : 'a') },
      question,
    )
    expect(answer).toMatchObject({
      homes: new Map([
        [1, 'a'],
        [3, 'a'],
      ]),
    })
    expect(problems).toEqual([])
  })
})

describe('a strategy that misbehaves', () => {
  const never = (value: unknown) => value as never
  const boom = new Error('boom')
  // By name: a promise of another making.
  const then = ['th', 'en'].join('')

  test.each<[string, ShardAllocationStrategy['allocateShard']]>([
    [
      'throws',
      () => {
        throw boom
      },
    ],
    [
      'throws nothing in particular',
      () => {
        throw never(undefined)
      },
    ],
    ['rejects', () => Promise.reject(boom)],
    ['names a node that it was not offered', () => 'stranger'],
    ['names a node that leaves, by promise', async () => ({ home: 'leaving', why: 'habit' })],
    ['answers a number', () => never(7)],
    ['answers null', () => never(null)],
    ['answers a list', () => never(['a'])],
    [
      'answers what throws when it is looked at',
      () =>
        never({
          get home() {
            throw boom
          },
        }),
    ],
    [
      'answers a thenable that rejects',
      () => never({ [then]: (_: unknown, no: (error: unknown) => void) => no(boom) }),
    ],
  ])('%s: the default one decides in its place, once per shard', async (_, allocateShard) => {
    const { answer, problems } = await ask({ allocateShard }, question)
    expect(answer).toMatchObject({
      homes: new Map([
        [1, 'a'],
        [2, 'a'],
        [3, 'b'],
      ]),
      whys: { size: 3 },
    })
    expect(answer.type === 'Allocate' && answer.whys?.get(3)).toBe(
      'The strategy gave no home for it. It had the fewest shards, 1, of 2 nodes.',
    )
    expect(problems).toHaveLength(3)
  })

  test.each<[string, ShardAllocationStrategy['rebalance'], readonly number[]]>([
    [
      'throws',
      () => {
        throw boom
      },
      [],
    ],
    ['rejects', () => Promise.reject(boom), []],
    ['answers nothing', () => never(undefined), []],
    ['answers a text', () => never('9'), []],
    ['answers one number', () => never(9), []],
    ['names shards that nobody hosts', () => [1, -1, 9, 1e9, never('9'), never(null)], [9]],
    ['names thousands of shards', () => Array.from({ length: 100_000 }, (_, shard) => shard), [9]],
  ])('%s: nothing moves that could not, and it is said', async (_, rebalance, shards) => {
    const { answer, problems } = await ask({ rebalance }, balance)
    expect(answer).toEqual({ type: 'Rebalance', shards })
    expect(problems).toHaveLength(1)
  })

  test('names a shard many times: it moves once, and nobody minds', async () => {
    const { answer, problems } = await ask({ rebalance: () => [9, 9, 9] }, balance)
    expect(answer).toEqual({ type: 'Rebalance', shards: [9] })
    expect(problems).toEqual([])
  })
})
