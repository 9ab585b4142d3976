import { expect, test } from 'vitest'
import type { AllocationRequest } from '../../src/sharding/index.ts'
import { EntityStopped, LocalShardStopped } from '../../src/sharding/index.ts'
import { add, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void =>
  hostCounters(node, {
    extractor: new ByNumber(12),
    settings: { numberOfShards: 12, handOffsMax: 3 },
  })

const ids = Array.from({ length: 10 }, (_, index) => `${index + 1}`)

test('SH-020 named shards stop everywhere, with one answer each', async () => {
  await play(async (scene) => {
    const a = await scene.start('a', { init })
    const b = await scene.start('b', { init })
    for (const id of ids) add(b, id, 1)
    const before = await scene.settle(Promise.all(ids.map((id) => countOf(b, id))))
    expect(new Set(before.map(({ node }) => node))).toEqual(new Set([a.id, b.id]))
    const stopped: string[] = []
    let atOnce = 0
    let most = 0
    for (const { system } of [a, b]) {
      system.eventStream.subscribe(EntityStopped, ({ entityId }) => void stopped.push(entityId))
      system.eventStream.subscribe(LocalShardStopped, () => void (most = Math.max(most, ++atOnce)))
    }
    const wanted = [...ids.map(Number), 11, 12]
    const stops = await scene.settle(b.sharding.stopShards('Counter', wanted))
    expect(stops).toHaveLength(12)
    const outcomes = new Map(stops.map(({ shard, outcome }) => [shard, outcome]))
    for (const id of ids) expect(outcomes.get(Number(id))).toBe('stopped')
    expect([outcomes.get(11), outcomes.get(12)]).toEqual(['not-running', 'refused'])
    expect(stopped.toSorted()).toEqual(ids.toSorted())
    // They start again with their next messages, and know what they knew.
    const after = await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
    expect(after.map(({ count }) => count)).toEqual(ids.map(() => 1))
  })
})

test('SH-020 a shard that does not stop in time is answered as such, and stays where it is', async () => {
  await play(
    async (scene) => {
      const host = (node: ShardingNode): void =>
        hostCounters(node, {
          extractor: new ByNumber(4),
          settings: {
            ...{ numberOfShards: 4, handOffTimeoutMs: 1_500, stopTimeoutMs: 1_000 },
            ...{ stopGraceMs: 500, retryIntervalMs: 500 },
          },
        })
      const a = await scene.start('a', { init: host })
      await scene.start('b', { init: host })
      await scene.start('c', { init: host })
      const { node } = await scene.settle(countOf(a, '1'))
      // It may still route to the shard, so nobody may stop it.
      scene.simulation.network.partition(['c'], ['a', 'b'])
      const [stop] = await scene.settle(a.sharding.stopShards('Counter', [1]))
      expect(stop).toMatchObject({ shard: 1, outcome: 'timed-out' })
      expect(stop?.reason).toContain('handOffTimeoutMs')
      scene.simulation.network.heal()
      expect((await scene.settle(countOf(a, '1'))).node).toBe(node)
    },
    { seeds: 2 },
  )
})

test('SH-020 there is an answer also when no coordinator answers', async () => {
  await play(
    async (scene) => {
      await scene.start('a')
      const b = await scene.start('b')
      hostCounters(b)
      const stops = await scene.settle(b.sharding.stopShards('Counter', [1, 2], { timeout: '3s' }))
      expect(stops).toMatchObject([
        { shard: 1, outcome: 'timed-out' },
        { shard: 2, outcome: 'timed-out' },
      ])
    },
    { seeds: 1 },
  )
})

test('SH-020 no more hand-offs are under way at once than handOffsMax', async () => {
  await play(
    async (scene) => {
      const begun = new Set<number>()
      let most = 0
      const allocationStrategy = {
        allocateShard: ({ allocations }: AllocationRequest) => [...allocations.keys()][0],
        rebalance: () => [],
      }
      const a = await scene.start('a', {
        init: (node) =>
          hostCounters(node, {
            ...{ extractor: new ByNumber(12), allocationStrategy },
            settings: { numberOfShards: 12, handOffsMax: 2 },
          }),
      })
      const all = Array.from({ length: 12 }, (_, index) => index)
      await scene.settle(Promise.all(all.map((shard) => countOf(a, `${shard}`))))
      a.system.eventStream.subscribe(EntityStopped, ({ shard }) => {
        begun.add(shard)
        most = Math.max(most, begun.size)
      })
      a.system.eventStream.subscribe(LocalShardStopped, ({ shard }) => void begun.delete(shard))
      const stops = await scene.settle(a.sharding.stopShards('Counter', all))
      expect(new Set(stops.map(({ outcome }) => outcome))).toEqual(new Set(['stopped']))
      expect(most).toBeGreaterThan(0)
      expect(most).toBeLessThanOrEqual(2)
    },
    { seeds: 3 },
  )
})
