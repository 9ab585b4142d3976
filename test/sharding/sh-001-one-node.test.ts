import { describe, expect, test } from 'vitest'
import { Behaviors } from '../../src/actor/index.ts'
import {
  EntityTypeKey,
  EntityTypeNotStarted,
  EntityTypeRedefined,
  InvalidEntityId,
  InvalidEntityTypeName,
} from '../../src/sharding/index.ts'
import { ValueCodec } from '../../src/serialization/internals.ts'
import { add, ByNumber, counterOn, counters, countOf, hostCounters } from './counter.ts'
import { play } from './scene.ts'

const codec = new ValueCodec({ use: 'stored' })
const twelve = { extractor: new ByNumber(12), settings: { numberOfShards: 12 } }

describe('SH-001 one node', () => {
  test('hosts and answers; what is sent before it is up waits and keeps its order', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', {
        init: (starting) => {
          hostCounters(starting, twelve)
          add(starting, '1', 1, 1, 1, -1)
        },
      })
      const { count, path } = await scene.settle(countOf(node, '1'))
      expect(count).toBe(2)
      expect(path).toMatch(/Counter\/1\/1$/)
      // In the order they were sent.
      const events = scene.simulation.store.events('Counter|1')
      expect(events.map(({ bytes }) => codec.decode(bytes))).toEqual([1, 1, 1, -1])
      expect(node.lost).toEqual([])
      expect([...node.sharding.shardHomes('Counter')]).toEqual([[1, node.id]])
      const regions = await scene.settle(node.sharding.currentRegions('Counter'))
      expect(regions).toEqual(new Set([node.id]))
      expect(node.sharding.regionState('Counter')).toMatchObject({
        coordinator: node.id,
        shards: [{ shard: 1, entityIds: ['1'] }],
      })
    })
  })

  test('says in words where an entity is', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostCounters(starting, twelve) })
      const before = await scene.settle(node.sharding.explain('Counter', '3'))
      expect(before.text).toContain('Entity 3 of type Counter is in shard 3. Its home is not known')
      await scene.settle(countOf(node, '3'))
      const after = await scene.settle(node.sharding.explain('Counter', '3'))
      expect(after).toMatchObject({ home: node.id, isHere: true, isRunning: true, buffered: 0 })
      expect(after.text).toContain('It lives on this node, and the entity runs.')
    })
  })

  test('refuses what cannot be, at the door', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostCounters(starting, twelve) })
      const { sharding } = node
      expect(() => counterOn(node, '')).toThrow(InvalidEntityId)
      expect(() => counterOn(node, 'a\0')).toThrow(InvalidEntityId)
      expect(() => new EntityTypeKey('a|b')).toThrow(InvalidEntityTypeName)
      expect(() => sharding.entityRefFor(new EntityTypeKey('Cart'), 'x')).toThrow(
        EntityTypeNotStarted,
      )
      expect(() => hostCounters(node, twelve)).toThrow(EntityTypeRedefined)
      const settings = { numberOfShards: 0, retryIntervalMs: -1, nonsense: 1 }
      const cart = { key: new EntityTypeKey('Cart'), behavior: () => Behaviors.ignore, settings }
      for (const name of Object.keys(settings)) {
        expect(() => sharding.init(cart)).toThrow(name)
      }
      expect([...sharding.entityTypes]).toEqual([counters.name])
    })
  })
})
