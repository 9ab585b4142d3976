import { expect, test } from 'vitest'
import { add, answerOf, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void =>
  hostCounters(node, {
    extractor: new ByNumber(12),
    settings: { numberOfShards: 12, minMembers: 3, rebalanceIntervalMs: 3_600_000 },
  })

test('SH-028 no shard gets a home before enough regions are there, and then they spread evenly', async () => {
  await play(async (scene) => {
    const a = await scene.start('a', { init })
    const b = await scene.start('b', { init })
    const c = await scene.start('c')
    let answers = 0
    const first = countOf(a, '1', '60s').then((answer) => {
      answers++
      return answer
    })
    await scene.simulation.run({ for: '10s' })
    expect(answers).toBe(0)
    init(c)
    const all = await scene.settle(Promise.all([first, countOf(a, '2'), countOf(b, '3')]))
    expect(new Set(all.map(({ node }) => node))).toEqual(new Set([a.id, b.id, c.id]))
    expect(a.sharding.regionState('Counter').shards).toHaveLength(1)
  })
})

test('SH-028 when members are lost later, those who are left go on', async () => {
  await play(
    async (scene) => {
      const [a, b, c] = [
        await scene.start('a', { init }),
        await scene.start('b', { init }),
        await scene.start('c', { init }),
      ]
      const ids = ['1', '2', '3']
      for (const id of ids) add(a, id, 1)
      // From there, so that what was added has arrived: a question of another node may come before it.
      await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
      // The next coordinator, which has one region less than the number, takes the shards over.
      scene.simulation.crash('a')
      const after = await scene.settle(Promise.all(ids.map((id) => answerOf(c, id))))
      expect(after.map(({ count }) => count)).toEqual([1, 1, 1])
      expect([b.id, c.id]).toContain(after[0]?.node)
      expect((await scene.settle(answerOf(b, '7'))).count).toBe(0)
    },
    { seeds: 3 },
  )
})
