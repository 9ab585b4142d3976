import { describe, expect, test } from 'vitest'
import { add, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void =>
  hostCounters(node, {
    extractor: new ByNumber(12),
    settings: { numberOfShards: 12, rebalanceIntervalMs: 3_600_000 },
  })

const byNumber = (one: number, other: number): number => one - other

describe('SH-002 a second node', () => {
  test('takes new shards, and both nodes reach the one instance', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      expect((await scene.settle(countOf(a, '1'))).node).toBe(a.id)
      const b = await scene.start('b', { init })
      add(b, '2', 1, 1, 1, -1)
      expect(await scene.settle(countOf(b, '2'))).toMatchObject({ count: 2, node: b.id })
      add(b, '11', 1)
      const eleven = await scene.settle(countOf(b, '11'))
      expect(eleven).toMatchObject({ count: 1, node: a.id })
      expect(eleven.path).toMatch(/Counter\/11\/11$/)
      add(b, '12', 1)
      const twelve = await scene.settle(countOf(b, '12'))
      expect(twelve).toMatchObject({ count: 1, node: b.id })
      expect(twelve.path).toMatch(/Counter\/0\/12$/)
      add(a, '2', 1)
      expect(await scene.settle(countOf(a, '2'))).toMatchObject({ count: 3, node: b.id })
      expect(await scene.settle(countOf(b, '2'))).toMatchObject({ count: 3, node: b.id })
      expect((await scene.settle(countOf(a, '11'))).count).toBe(1)
      expect((await scene.settle(countOf(a, '12'))).count).toBe(1)
      const shardsOf = (node: ShardingNode) => node.sharding.regionState('Counter').shards.length
      expect([shardsOf(a), shardsOf(b)]).toEqual([2, 2])
      expect(await scene.settle(b.sharding.currentRegions('Counter'))).toEqual(
        new Set([a.id, b.id]),
      )
      const found = await scene.settle(a.sharding.shardsByRegion('Counter'))
      expect([found.get(a.id)?.toSorted(byNumber), found.get(b.id)?.toSorted(byNumber)]).toEqual([
        [1, 11],
        [0, 2],
      ])
      expect([a.lost, b.lost]).toEqual([[], []])
    })
  })

  test('knows the regions from every node; a proxy is none, and nobody answers without a coordinator', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      const settings = { numberOfShards: 12 }
      const proxy = (node: ShardingNode): void =>
        void node.sharding.startProxy({ typeName: 'Counter', settings })
      const c = await scene.start('c', { init: proxy })
      for (const { sharding } of [a, b, c]) {
        const regions = await scene.settle(sharding.currentRegions('Counter'))
        expect(regions).toEqual(new Set([a.id, b.id]))
      }
      const early = a.sharding.currentRegions('Counter', { timeout: '3s' })
      scene.simulation.crash('a')
      const asked = b.sharding.currentRegions('Counter', { timeout: '1s' })
      await expect(scene.settle(asked)).rejects.toThrow('the coordinator of Counter')
      early.catch(() => undefined)
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
              ...{ rebalanceShardsMax: 2, rebalanceShareMax: 1 },
            },
          })
        const ids = Array.from({ length: 10 }, (_, index) => `${index}`)
        const a = await scene.start('a', { init: hosts })
        for (const name of ['b', 'c', 'd']) await scene.start(name, { init: hosts })
        for (const id of ids) add(a, id, 1)
        await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
        const e = await scene.start('e', { init: hosts })
        const shardsOnE = () => e.sharding.regionState('Counter').shards.length
        await scene.simulation.runUntil(() => shardsOnE() >= 2, { within: '60s' })
        const found = await scene.settle(Promise.all(ids.map((id) => countOf(e, id))))
        expect(found.map(({ count }) => count)).toEqual(ids.map(() => 1))
        expect(found.filter(({ node }) => node === e.id).length).toBeGreaterThanOrEqual(2)
      },
      { seeds: 10 },
    )
  })
})
