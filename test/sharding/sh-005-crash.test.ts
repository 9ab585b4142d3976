import { describe, expect, test } from 'vitest'
import { add, answerOf, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void =>
  hostCounters(node, { extractor: new ByNumber(12), settings: { numberOfShards: 12 } })

describe('SH-005 a node crashes', () => {
  test('its two entities answer on the other of two nodes within 30 s, each with its own last value', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        expect((await scene.settle(countOf(a, '1'))).node).toBe(a.id)
        const b = await scene.start('b', { init })
        add(b, '2', 1, 1, 1, 1)
        expect(await scene.settle(countOf(b, '2'))).toMatchObject({ count: 4, node: b.id })
        expect((await scene.settle(countOf(b, '11'))).node).toBe(a.id)
        add(b, '12', 1)
        expect(await scene.settle(countOf(b, '12'))).toMatchObject({ count: 1, node: b.id })
        expect(a.sharding.regionState('Counter').coordinator).toBe(a.id)
        scene.simulation.crash('b')
        const crashedMs = scene.simulation.now
        const after = await scene.settle(Promise.all(['2', '12'].map((id) => answerOf(a, id))))
        expect(after).toMatchObject([
          { count: 4, node: a.id },
          { count: 1, node: a.id },
        ])
        expect(scene.simulation.now - crashedMs).toBeLessThan(30_000)
      },
      { seeds: 20 },
    )
  })

  test('its entities answer on another node with what was stored', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        await scene.start('b', { init })
        const c = await scene.start('c', { init })
        const ids = Array.from({ length: 12 }, (_, index) => `${index}`)
        for (const id of ids) add(a, id, 1, 3)
        const before = await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
        expect(before.every(({ count }) => count === 4)).toBe(true)
        expect(before.some(({ node }) => node === c.id)).toBe(true)
        scene.simulation.crash('c')
        const after = await scene.settle(Promise.all(ids.map((id) => answerOf(a, id))))
        expect(after.every(({ count }) => count === 4)).toBe(true)
        expect(after.some(({ node }) => node === c.id)).toBe(false)
      },
      { seeds: 10 },
    )
  })

  test('its shards have homes again though nobody asks for them', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        const c = await scene.start('c', { init })
        const ids = Array.from({ length: 12 }, (_, index) => `${index}`)
        await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
        expect(c.sharding.regionState('Counter').shards.length).toBeGreaterThan(0)
        scene.simulation.crash('c')
        const shards = (): number[] =>
          [a, b].flatMap(({ sharding }) =>
            sharding.regionState('Counter').shards.map(({ shard }) => shard),
          )
        await scene.simulation.runUntil(() => shards().length === ids.length, {
          ...{ what: 'every shard has a home', within: '30s' },
        })
        expect(shards().sort((x, y) => x - y)).toEqual(ids.map(Number))
      },
      { seeds: 10 },
    )
  })

  test('its entities answer on another node, also when it had the coordinator', async () => {
    await play(
      async (scene) => {
        await scene.start('a', { init })
        const b = await scene.start('b', { init })
        await scene.start('c', { init })
        const ids = Array.from({ length: 12 }, (_, index) => `${index}`)
        for (const id of ids) add(b, id, 2)
        await scene.settle(Promise.all(ids.map((id) => countOf(b, id))))
        scene.simulation.crash('a')
        const after = await scene.settle(Promise.all(ids.map((id) => answerOf(b, id))))
        expect(after.every(({ count }) => count === 2)).toBe(true)
      },
      { seeds: 10 },
    )
  })
})
