import { describe, expect, test } from 'vitest'
import { add, answerOf, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void =>
  hostCounters(node, { extractor: new ByNumber(12), settings: { numberOfShards: 12 } })

describe('SH-005 a node crashes', () => {
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
