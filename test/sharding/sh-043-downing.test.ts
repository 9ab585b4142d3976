import { describe, expect, test } from 'vitest'
import { suppressDeadLetterLog } from '../../src/actor/index.ts'
import { add, answerOf, ByNumber, counterOn, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

interface Internal {
  readonly type: string
  readonly [suppressDeadLetterLog]?: true
}

const init = (node: ShardingNode): void =>
  hostCounters(node, { extractor: new ByNumber(10), settings: { numberOfShards: 10 } })

const [firstFour, lastFour] = [
  ['1', '2', '3', '4'],
  ['5', '6', '7', '8'],
]

describe('SH-043 downing after a partition', () => {
  test('moves what was cut off, and leaves the rest where it is', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        for (const id of firstFour) add(a, id, 1)
        const before = await scene.settle(Promise.all(firstFour.map((id) => countOf(a, id))))
        expect(new Set(before.map(({ node }) => node))).toEqual(new Set([a.id, b.id]))
        scene.simulation.network.partition(['a'], ['b'])
        await scene.simulation.run({ for: '3s' })
        a.cluster.down(b.id)
        const all = [...firstFour, ...lastFour]
        const after = await scene.settle(Promise.all(all.map((id) => answerOf(a, id))))
        expect(after.every(({ node }) => node === a.id)).toBe(true)
        expect(after.slice(0, 4).map(({ count }) => count)).toEqual([1, 1, 1, 1])
        for (const [index, { node, life }] of before.entries()) {
          if (node === a.id) expect(after[index]?.life).toBe(life)
        }
      },
      { seeds: 10 },
    )
  })

  test('homes that were meant for the node that is cut off are given again', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        for (const id of firstFour) add(a, id, 1)
        const before = await scene.settle(Promise.all(firstFour.map((id) => countOf(a, id))))
        scene.simulation.network.partition(['a'], ['b'])
        // The coordinator does not know yet that b is cut off, and means some of these for it.
        for (const id of lastFour) add(a, id, 1)
        await scene.simulation.run({ for: '200ms' })
        const meant = await scene.settle(a.sharding.shardsByRegion('Counter'))
        const given = meant.get(b.id)?.filter((shard) => lastFour.includes(`${shard}`)) ?? []
        expect(given).not.toEqual([])
        await scene.simulation.run({ for: '2800ms' })
        a.cluster.down(b.id)
        const started = await scene.settle(Promise.all(lastFour.map((id) => answerOf(a, id))))
        expect(started.map(({ node }) => node)).toEqual(lastFour.map(() => a.id))
        const homes = await scene.settle(a.sharding.shardsByRegion('Counter'))
        expect(homes.get(a.id)).toEqual(expect.arrayContaining(given))
        const after = await scene.settle(Promise.all(firstFour.map((id) => answerOf(a, id))))
        for (const [index, { node, life }] of before.entries()) {
          expect(after[index]).toMatchObject({ count: 1, node: a.id })
          if (node === a.id) expect(after[index]?.life).toBe(life)
          else expect(after[index]?.life).toBeGreaterThan(2)
        }
      },
      { seeds: 10 },
    )
  })
})

describe('a node that is cut off from the majority', () => {
  test('logs nothing of what its coordinator would still have heard of the cluster', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      await scene.start('b', { init })
      await scene.start('c', { init })
      scene.simulation.network.partition(['a'], ['b', 'c'])
      await scene.settle(a.system.whenTerminated)
      const messages = a.lost.map(({ message }) => message as Internal)
      const changes = messages.filter(({ type }) => type === 'ClusterChanged')
      expect(changes).not.toEqual([])
      expect(changes.filter((change) => change[suppressDeadLetterLog] !== true)).toEqual([])
    })
  })

  test('handles nothing until it is back; what waited is then handled', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        const c = await scene.start('c', { init })
        for (const id of firstFour) add(a, id, 1)
        const homes = await scene.settle(Promise.all(firstFour.map((id) => countOf(a, id))))
        const index = homes.findIndex(({ node }) => node === c.id)
        expect(index).toBeGreaterThanOrEqual(0)
        const id = firstFour[index]!
        scene.simulation.network.partition(['a', 'b'], ['c'])
        await scene.simulation.runUntil(() => c.cluster.isFrozen, { within: '30s' })
        let answer: unknown
        const asked = countOf(c, id, '60s')
        counterOn(c, id).tell({ type: 'Add', by: 1 })
        void asked.then((counted) => (answer = counted))
        await scene.simulation.run({ for: '300ms' })
        expect(answer).toBeUndefined()
        scene.simulation.network.heal()
        await scene.simulation.runUntil(() => !c.cluster.isFrozen, { within: '30s' })
        await scene.settle(asked)
        expect((await scene.settle(countOf(b, id))).count).toBe(2)
      },
      { seeds: 10 },
    )
  })
})
