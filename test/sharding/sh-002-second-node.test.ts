import { describe, expect, test } from 'vitest'
import { add, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void =>
  hostCounters(node, {
    extractor: new ByNumber(12),
    settings: { numberOfShards: 12, rebalanceIntervalMs: 3_600_000 },
  })

describe('SH-002 a second node', () => {
  test('takes new shards, and both nodes reach the one instance', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      expect((await scene.settle(countOf(a, '1'))).node).toBe(a.id)
      const b = await scene.start('b', { init })
      add(b, '2', 1, 1, 1, -1)
      expect(await scene.settle(countOf(b, '2'))).toMatchObject({ count: 2, node: b.id })
      add(b, '11', 1)
      expect(await scene.settle(countOf(b, '11'))).toMatchObject({ count: 1 })
      add(b, '12', 1)
      const twelve = await scene.settle(countOf(b, '12'))
      expect(twelve.path).toMatch(/Counter\/0\/12$/)
      add(a, '2', 1)
      expect(await scene.settle(countOf(a, '2'))).toMatchObject({ count: 3, node: b.id })
      expect(await scene.settle(countOf(b, '2'))).toMatchObject({ count: 3, node: b.id })
      expect((await scene.settle(countOf(a, '11'))).count).toBe(1)
      expect((await scene.settle(countOf(a, '12'))).count).toBe(1)
      const shardsOf = (node: ShardingNode) => node.sharding.regionState('Counter').shards.length
      expect([shardsOf(a), shardsOf(b)]).toEqual([2, 2])
      expect([a.lost, b.lost]).toEqual([[], []])
    })
  })
})

describe('SH-006 new nodes', () => {
  test('take new shards, and what has a home stays there', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      await scene.settle(countOf(a, '1'))
      const c = await scene.start('c', { init })
      add(c, '3', ...Array.from({ length: 10 }, () => 1))
      expect(await scene.settle(countOf(c, '3'))).toMatchObject({ count: 10, node: c.id })
      const d = await scene.start('d', { init })
      add(d, '4', ...Array.from({ length: 20 }, () => 1))
      expect(await scene.settle(countOf(d, '4'))).toMatchObject({ count: 20, node: d.id })
      add(a, '3', 1)
      add(a, '4', 1)
      expect(await scene.settle(countOf(a, '3'))).toMatchObject({ count: 11, node: c.id })
      expect(await scene.settle(countOf(a, '4'))).toMatchObject({ count: 21, node: d.id })
      expect((await scene.settle(countOf(d, '1'))).node).toBe(a.id)
    })
  })
})

describe('SH-007 rebalance', () => {
  test('moves shards to an empty node, with what they remember', async () => {
    await play(
      async (scene) => {
        const hosts = (node: ShardingNode): void =>
          hostCounters(node, {
            extractor: new ByNumber(10),
            settings: {
              ...{ numberOfShards: 10, rebalanceIntervalMs: 2_000 },
              ...{ rebalanceAbsoluteLimit: 2, rebalanceRelativeLimit: 1 },
            },
          })
        const ids = Array.from({ length: 10 }, (_, index) => `${index}`)
        const a = await scene.start('a', { init: hosts })
        await scene.start('b', { init: hosts })
        for (const id of ids) add(a, id, 1)
        await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
        const c = await scene.start('c', { init: hosts })
        const shardsOnC = () => c.sharding.regionState('Counter').shards.length
        await scene.simulation.runUntil(() => shardsOnC() >= 2, { within: '60s' })
        const found = await scene.settle(Promise.all(ids.map((id) => countOf(c, id))))
        expect(found.map(({ count }) => count)).toEqual(ids.map(() => 1))
        expect(found.filter(({ node }) => node === c.id).length).toBeGreaterThanOrEqual(2)
      },
      { seeds: 10 },
    )
  })
})
