import { describe, expect, test } from 'vitest'
import { EntityStarted, EntityTypeKey } from '../../src/sharding/index.ts'
import { add, answerOf, countOf, counter, counterOn, ByNumber, type ToCounter } from './counter.ts'
import { remember, running, runningIds, same, shards, until } from './remembering.ts'
import { play, type ShardingNode } from './scene.ts'

const init = (node: ShardingNode): void => remember(node)

describe('SH-029 remembered entities run again with their shard, without a message', () => {
  test('after the shard has moved, and those of another type are none of them', async () => {
    const others = new EntityTypeKey<ToCounter>('Other')
    const both = (node: ShardingNode): void => {
      remember(node)
      node.sharding.init<ToCounter>({
        key: others,
        rememberEntities: true,
        extractor: new ByNumber(shards),
        settings: { numberOfShards: shards },
        behavior: (context) => counter(node, context, 1),
      })
    }
    await play(async (scene) => {
      const a = await scene.start('a', { init: both })
      const b = await scene.start('b', { init: both })
      add(a, '1', 1)
      expect(await scene.settle(countOf(a, '1'))).toMatchObject({ count: 1 })
      a.sharding.entityRefFor(others, '13').tell({ type: 'Add', by: 1 })
      const home = running(a).length > 0 ? a : b
      const next = home === a ? b : a
      await scene.settle(home.sharding.gracefulShutdown('Counter'))
      await until(scene, 'entity 1 runs elsewhere', () => same(running(next), [`1@${next.name}`]))
      expect(await scene.settle(countOf(next, '1'))).toMatchObject({ count: 1, node: next.id })
      const ids = [a, b].flatMap(({ sharding }) =>
        sharding.regionState('Other').shards.flatMap(({ entityIds }) => entityIds),
      )
      expect(ids).toEqual(['13'])
    })
  })
})

describe('SH-030 passivated entities stay stopped, and those that stop themselves come back', () => {
  test('a passivated one is gone, also after its shard has moved; one that stopped is started again', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      for (const id of ['1', '13']) await scene.settle(countOf(a, id))
      counterOn(a, '1').tell({ type: 'Rest' })
      await until(scene, 'entity 1 rests', () => same(runningIds(a), ['13']))
      const b = await scene.start('b', { init })
      await scene.settle(a.sharding.gracefulShutdown('Counter'))
      await until(scene, 'entity 13 runs on b', () => same(running(b), ['13@b']))
      const { life } = await scene.settle(countOf(b, '13'))
      counterOn(b, '13').tell({ type: 'Stop' })
      await until(scene, 'entity 13 has stopped', () => runningIds(b).length === 0)
      await until(scene, 'entity 13 is back', () => same(runningIds(b), ['13']))
      expect((await scene.settle(countOf(b, '13'))).life).toBeGreaterThan(life)
      await scene.simulation.run({ for: '30s' })
      expect(runningIds(b)).toEqual(['13'])
    })
  })

  test('one that stopped itself is back at once with its next message', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', {
        init: (node) => remember(node, { entityRestartBackoffMs: 3_600_000 }),
      })
      const { life } = await scene.settle(countOf(a, '1'))
      counterOn(a, '1').tell({ type: 'Stop' })
      await until(scene, 'entity 1 has stopped', () => runningIds(a).length === 0)
      expect((await scene.settle(countOf(a, '1'))).life).toBe(life + 1)
    })
  })

  test('one whose time to come back passes while its node sleeps is not started before that node knows it', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        const ids = Array.from({ length: 12 }, (_, index) => `${index}`)
        await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
        const [there] = runningIds(b) as [string]
        counterOn(b, there).tell({ type: 'Stop' })
        await until(scene, 'it has stopped', () => !runningIds(b).includes(there))
        const startedWhileFrozen: boolean[] = []
        const isAsleep = (): boolean => b.cluster.lookForFreeze()
        b.system.eventStream.subscribe(EntityStarted, () => startedWhileFrozen.push(isAsleep()))
        // Longer than a node may be away.
        scene.simulation.pause('b', '40s')
        await until(scene, 'it runs again', () => runningIds(a, b).includes(there))
        await scene.simulation.run({ for: '60s' })
        expect(startedWhileFrozen).not.toContain(true)
      },
      { seeds: 5 },
    )
  })

  test('none is stopped for being idle, unless its definition says so', async () => {
    await play(
      async (scene) => {
        const settings = { passivateIdleAfterMs: 5_000 }
        const a = await scene.start('a', { init, sharding: settings })
        await scene.settle(countOf(a, '1'))
        await scene.simulation.run({ for: '60s' })
        expect(runningIds(a)).toEqual(['1'])
      },
      { seeds: 2 },
    )
    await play(
      async (scene) => {
        const a = await scene.start('a', {
          init: (node) => remember(node, { passivateIdleAfterMs: 5_000 }),
        })
        await scene.settle(countOf(a, '1'))
        await until(scene, 'entity 1 rests', () => runningIds(a).length === 0)
      },
      { seeds: 2 },
    )
  })
})

describe('SH-031 the death of a region lets its remembered entities run elsewhere', () => {
  test('with what they had stored, and without a message', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        const ids = Array.from({ length: 24 }, (_, index) => `${index}`)
        for (const id of ids) add(a, id, 1, 1)
        await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
        expect(running(b).length).toBeGreaterThan(0)
        scene.simulation.crash('b')
        await until(scene, 'all run on a', () => same(runningIds(a), ids))
        for (const id of ids) {
          expect(await scene.settle(countOf(a, id))).toMatchObject({ count: 2, node: a.id })
        }
      },
      { seeds: 10 },
    )
  })
})

describe('SH-032 a rebalance lets remembered entities run on the new node', () => {
  test('by themselves', async () => {
    await play(async (scene) => {
      const settings = { rebalanceIntervalMs: 2_000 }
      const rebalancing = (node: ShardingNode): void => remember(node, settings)
      const a = await scene.start('a', { init: rebalancing })
      const ids = Array.from({ length: 11 }, (_, index) => `${index + 2}`)
      await scene.settle(Promise.all(ids.map((id) => countOf(a, id))))
      const b = await scene.start('b', { init: rebalancing })
      await until(scene, 'some run on b', () => running(b).length >= 2)
      await until(scene, 'all run', () => same(runningIds(a, b), ids))
    })
  })
})

describe('SH-033 remembered entities run again after the coordinator has moved, and after all nodes were stopped', () => {
  test('B34 when the oldest node crashes', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        const c = await scene.start('c', { init })
        await scene.settle(Promise.all(['1', '2', '3', '4'].map((id) => countOf(b, id))))
        expect(running(a).length).toBeGreaterThan(0)
        scene.simulation.crash('a')
        await until(scene, 'all run again', () => same(runningIds(b, c), ['1', '2', '3', '4']))
      },
      { seeds: 10 },
    )
  })

  test.each(['crashed', 'left'])('B34 in a new cluster, when all have %s', async (how) => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        await scene.settle(Promise.all(['1', '2', '3', '4'].map((id) => countOf(a, id))))
        for (const node of [b, a]) {
          if (how === 'left') await scene.settle(node.system.terminate())
          scene.simulation.crash(node.name)
        }
        scene.nodes.length = 0
        const again = await scene.start('b', { init })
        await until(scene, 'all run again', () => same(runningIds(again), ['1', '2', '3', '4']))
      },
      { seeds: 10 },
    )
  })

  test('without remembering they run only when somebody calls them', async () => {
    await play(async (scene) => {
      const plain = (node: ShardingNode): void => remember(node, {}, { rememberEntities: false })
      const a = await scene.start('a', { init: plain })
      const b = await scene.start('b', { init: plain })
      await scene.settle(Promise.all(['1', '2'].map((id) => countOf(a, id))))
      expect(running(b).length).toBeGreaterThan(0)
      scene.simulation.crash('b')
      await scene.simulation.run({ for: '60s' })
      expect(runningIds(a).length).toBeLessThan(2)
      await scene.settle(Promise.all(['1', '2'].map((id) => answerOf(a, id))))
      expect(runningIds(a)).toEqual(['1', '2'])
    })
  })
})

describe('SH-037 an entity that is started without a message', () => {
  test('is remembered, and the start is answered, on this node and from another', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      const ids = Array.from({ length: 6 }, (_, index) => `${index}`)
      await scene.settle(Promise.all(ids.map((id) => counterOn(a, id).start({ timeout: '20s' }))))
      expect(runningIds(a, b)).toEqual(ids)
      // Twice is once.
      await scene.settle(Promise.all(ids.map((id) => counterOn(b, id).start({ timeout: '20s' }))))
      expect(runningIds(a, b)).toEqual(ids)
      scene.simulation.crash('b')
      await until(scene, 'all run on a', () => same(runningIds(a), ids))
    })
  })

  test('is started once where entities are not remembered', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', {
        init: (node) => remember(node, {}, { rememberEntities: false }),
      })
      await scene.settle(counterOn(a, '1').start({ timeout: '20s' }))
      expect(runningIds(a)).toEqual(['1'])
    })
  })
})

describe('SH-038 a change of the extractor', () => {
  const moved = (node: ShardingNode): void => {
    const extractor = new ByNumber(shards)
    remember(
      node,
      {},
      {
        extractor: {
          entityId: (envelope) => extractor.entityId(envelope),
          shardId: (id) => (extractor.shardId(id) + 1) % shards,
          unwrapMessage: (envelope) => extractor.unwrapMessage(envelope),
        },
      },
    )
  }
  const byShard = ({ sharding }: ShardingNode): Record<number, readonly string[]> =>
    Object.fromEntries(
      sharding
        .regionState('Counter')
        .shards.filter(({ entityIds }) => entityIds.length > 0)
        .map(({ shard, entityIds }) => [shard, [...entityIds].sort()]),
    )

  test('B04 moves what is remembered to the shards of now, for good', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        await scene.settle(Promise.all(['1', '13', '25'].map((id) => countOf(a, id))))
        expect(byShard(a)).toEqual({ 1: ['1', '13', '25'] })
        for (let round = 0; round < 2; round++) {
          scene.simulation.crash('a')
          scene.nodes.length = 0
          const again = await scene.start('a', { init: moved })
          await until(scene, 'all run', () => runningIds(again).length === 3)
          expect(byShard(again)).toEqual({ 2: ['1', '13', '25'] })
          await scene.simulation.run({ for: '5s' })
        }
        scene.simulation.crash('a')
        scene.nodes.length = 0
        // The shard of before has forgotten them: with the extractor of before, they are found by nobody but their own.
        const last = await scene.start('a', { init: moved })
        await until(scene, 'all run', () => runningIds(last).length === 3)
        expect(byShard(last)).toEqual({ 2: ['1', '13', '25'] })
      },
      { seeds: 5 },
    )
  })
})

describe('SH-039 remembered entities and roles', () => {
  test('run again on a node with the role, and never on one without', async () => {
    const withRole = (node: ShardingNode): void =>
      remember(node, { entityRestartBackoffMs: 100 }, { role: 'shard' })
    await play(async (scene) => {
      const three = await scene.start('three', { roles: ['shard'], init: withRole })
      const one = await scene.start('one', { init: withRole })
      await scene.settle(countOf(one, '2'))
      counterOn(one, '2').tell({ type: 'Stop' })
      await until(scene, 'entity 2 has stopped', () => runningIds(three).length === 0)
      await until(scene, 'entity 2 is back', () => same(running(three), ['2@three']))
      const four = await scene.start('four', { roles: ['shard'], init: withRole })
      await scene.settle(three.system.terminate())
      await until(scene, 'entity 2 runs on four', () => same(running(four), ['2@four']))
      expect(running(one)).toEqual([])
    })
  })
})
