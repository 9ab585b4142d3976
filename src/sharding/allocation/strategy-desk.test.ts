import { describe, expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import { MemoryJournal } from '../../persistence/index.ts'
import { ManualTime } from '../../testkit/index.ts'
import { shardingSettings } from '../sharding-settings.ts'
import type { ShardAllocationStrategy, StrategyContext } from './shard-allocation-strategy.ts'
import { StrategyDesk } from './strategy-desk.ts'
import type { AllocateQuestion, StrategyAnswer } from './strategy-questions.ts'

const question: AllocateQuestion = {
  type: 'Allocate',
  shards: [{ shard: 1, requester: undefined }],
  allocations: new Map([['a', []]]),
  cluster: { members: new Map<string, MemberStatus>([['a', 'Up']]), unreachable: new Set() },
}
const good: ShardAllocationStrategy = { allocateShard: () => 'a', rebalance: () => [] }

function deskWith(chosen: ShardAllocationStrategy | undefined) {
  const time = new ManualTime()
  const { environment } = time
  const journal = new MemoryJournal()
  const desk = new StrategyDesk({
    ...{ entityType: 'Cart', node: 'n', environment, journal, chosen },
    ...{ settings: shardingSettings(), log: environment.logger },
  })
  const whyOf = async (which: 'chosen' | 'default' = 'chosen') => {
    const answer: StrategyAnswer = await desk.ask(which, question)
    return answer.type === 'Allocate' ? [answer.homes.get(1), answer.whys?.get(1)] : []
  }
  const said = () => time.logs.lines.map(({ message }) => message)
  return { desk, time, journal, environment, whyOf, said }
}

describe('StrategyDesk', () => {
  test('asks the default strategy where none was chosen, and knows why', async () => {
    const { whyOf } = deskWith(undefined)
    expect(await whyOf()).toEqual(['a', 'It had the fewest shards, 0, of 1 node.'])
  })

  test('starts a strategy once with its world, asks it only then, and stops it once', async () => {
    const seen: unknown[] = []
    let started: () => void = () => undefined
    const { desk, journal, environment, whyOf } = deskWith({
      ...good,
      start: (context: StrategyContext) => {
        seen.push(context)
        return new Promise((resolve) => (started = resolve))
      },
      allocateShard: () => {
        seen.push('asked')
        return 'a'
      },
      stop: () => void seen.push('stopped'),
    })
    desk.start()
    const answer = whyOf()
    await Promise.resolve()
    expect(seen).toEqual([{ entityType: 'Cart', node: 'n', environment, journal }])
    started()
    expect(await answer).toEqual(['a', undefined])
    desk.stop()
    desk.stop()
    expect(seen.slice(1)).toEqual(['asked', 'stopped'])
  })

  test('does not stop what was not started', () => {
    const { desk } = deskWith({ ...good, stop: () => expect.unreachable() })
    desk.stop()
  })

  test.each<[string, () => Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('no such table')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no such table'))],
  ])('leaves it to the default strategy when start %s, and says so', async (_, start) => {
    const { desk, whyOf, said } = deskWith({
      ...{ ...good, start },
      allocateShard: () => expect.unreachable(),
    })
    desk.start()
    const why = 'The strategy could not be started. It had the fewest shards, 0, of 1 node.'
    expect(await whyOf()).toEqual(['a', why])
    expect(said()).toEqual([
      'The allocation strategy of Cart could not be started: no such table. The default one decides until another node coordinates, or this one anew.',
    ])
  })

  test('a stop that fails in either way harms nobody', async () => {
    for (const stop of [() => Promise.reject(new Error('no')), () => expect.unreachable('no')]) {
      const { desk, time, said } = deskWith({ ...good, stop })
      desk.start()
      desk.stop()
      await time.settle()
      expect(said()).toEqual([expect.stringContaining('failed to stop')])
    }
  })

  test('says once in a minute what the strategy does wrong, what to do, and how often it did so', async () => {
    const { whyOf, said, time } = deskWith({
      ...good,
      allocateShard: () => {
        throw new Error('boom')
      },
    })
    for (let times = 0; times < 5; times++) {
      expect((await whyOf())[0]).toBe('a')
    }
    expect(said()).toEqual([
      'The allocation strategy of Cart failed to give shard 1 a home: boom. The default one decides in its place. Let allocateShard answer a key of request.allocations, or undefined to be asked again.',
    ])
    await time.advance('1m')
    await whyOf()
    expect(said().slice(1)).toEqual([
      'The allocation strategy of Cart did so 4 times more; the last time it failed to give shard 1 a home: boom.',
    ])
  })

  test('decides in place of one that is silent, and says so', async () => {
    const { whyOf, said } = deskWith({ ...good, allocateShard: () => new Promise(() => {}) })
    const why = 'The strategy did not answer in time. It had the fewest shards, 0, of 1 node.'
    expect(await whyOf('default')).toEqual(['a', why])
    expect(said()).toEqual([expect.stringContaining('strategyTimeoutMs, 5000 ms')])
  })

  test('moves nothing for balance in place of one that is silent, and says so', async () => {
    const { desk, said } = deskWith({ ...good, rebalance: () => new Promise(() => {}) })
    const answer = await desk.ask('default', {
      ...{ type: 'Rebalance', inProgress: new Set() },
      allocations: new Map([
        ['a', [1, 2, 3, 4]],
        ['b', []],
      ]),
      cluster: {
        members: new Map<string, MemberStatus>([
          ['a', 'Up'],
          ['b', 'Up'],
        ]),
        unreachable: new Set(),
      },
    })
    // Its next allocateShard would bring each back to where it was, again and again.
    expect(answer).toEqual({ type: 'Rebalance', shards: [] })
    expect(said()).toEqual([expect.stringContaining('5000 ms; nothing moves by this')])
  })
})
