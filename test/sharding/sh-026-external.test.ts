import { describe, expect, test } from 'vitest'
import { type Journal, StoreCannot } from '../../src/persistence/index.ts'
import { ExternalShardAllocationStrategy } from '../../src/sharding/index.ts'
import { stableHash } from '../../src/foundation/stable-hash.ts'
import { add, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const numberOfShards = 100

/** A shard of the name of its entity. */
class ByName extends ByNumber {
  override shardId(entityId: string): number {
    return stableHash(entityId) % numberOfShards
  }
}

const init = (node: ShardingNode): void =>
  hostCounters(node, {
    allocationStrategy: new ExternalShardAllocationStrategy(),
    extractor: new ByName(numberOfShards),
    settings: { numberOfShards, rebalanceIntervalMs: 1_000 },
  })

const cats = stableHash('cats') % numberOfShards

const hosts = (node: ShardingNode, shard: number): boolean =>
  node.sharding.regionState('Counter').shards.some((hosted) => hosted.shard === shard)

describe('SH-026 external allocation', () => {
  test('starts shards where they are asked for, and has them where somebody says, then and later', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      const c = await scene.start('c', { init })
      for (const node of [a, b, c]) {
        expect((await scene.settle(countOf(node, node.name))).node).toBe(node.id)
      }
      const ours = a.sharding.externalShardAllocation('Counter')
      expect(await scene.settle(ours.shardLocations())).toEqual({
        revision: 0,
        locations: new Map(),
      })
      expect(await scene.settle(ours.updateShardLocation(cats, a.id))).toBe(1)
      const begunMs = scene.simulation.now
      add(b, 'cats', 1)
      add(c, 'cats', 1)
      for (const node of [b, c]) {
        expect((await scene.settle(countOf(node, 'cats'))).node).toBe(a.id)
      }
      expect(scene.simulation.now - begunMs).toBeLessThan(10_000)

      // Another node says otherwise, by address, and the shard moves with what it remembers.
      const theirs = c.sharding.externalShardAllocation('Counter')
      await scene.settle(
        theirs.updateShardLocations(
          new Map([
            [cats, b.remoting.address],
            [99, a.id],
          ]),
        ),
      )
      const isMoved = (): boolean => hosts(b, cats)
      await scene.simulation.runUntil(isMoved, { within: '10s', what: 'cats have moved' })
      expect(await scene.settle(countOf(c, 'cats'))).toMatchObject({ node: b.id, count: 2 })

      // Without a place it stays where it is.
      expect(await scene.settle(ours.removeShardLocation(cats))).toBe(3)
      expect(await scene.settle(theirs.shardLocations())).toEqual({
        revision: 3,
        locations: new Map([[99, a.remoting.address]]),
      })
      await scene.simulation.run({ for: '5s' })
      expect((await scene.settle(countOf(c, 'cats'))).node).toBe(b.id)
      expect([a.lost, b.lost, c.lost]).toEqual([[], [], []])
    })
  })

  test('waits for a node that is not there, and goes there when it comes', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      await scene.settle(
        a.sharding.externalShardAllocation('Counter').updateShardLocation(cats, 'b:2552'),
      )
      expect((await scene.settle(countOf(a, 'cats'))).node).toBe(a.id)
      const b = await scene.start('b', { init })
      const isMoved = (): boolean => hosts(b, cats)
      await scene.simulation.runUntil(isMoved, { within: '10s', what: 'cats have moved' })
      expect((await scene.settle(countOf(a, 'cats'))).node).toBe(b.id)
    })
  })

  test('says nothing of a type that nobody knows, and what is wrong with what it is given', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const unknown = a.sharding.externalShardAllocation('Unknown')
        expect((await scene.settle(unknown.shardLocations())).locations).toEqual(new Map())
        const known = a.sharding.externalShardAllocation('Counter')
        for (const shard of [-1, 1.5, numberOfShards, 'cats' as never]) {
          await expect(scene.settle(known.updateShardLocation(shard, a.id))).rejects.toThrow(
            'is no shard of Counter',
          )
        }
        for (const place of ['', 'nowhere', 'host:99999', 7 as never]) {
          await expect(scene.settle(known.updateShardLocation(1, place))).rejects.toThrow(
            'is no place for a shard',
          )
        }
        await expect(
          scene.settle(known.updateShardLocation(1, a.id, { expectedRevision: 4 })),
        ).rejects.toMatchObject({
          code: 'SHARD_LOCATIONS_CHANGED',
          revision: 0,
        })
        expect(
          await scene.settle(known.updateShardLocation(1, a.id, { expectedRevision: 0 })),
        ).toBe(1)
      },
      { seeds: 1 },
    )
  })

  test('keeps what two write at the same time', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      const writes = Array.from({ length: 10 }, (_, shard) =>
        (shard % 2 === 0 ? a : b).sharding
          .externalShardAllocation('Counter')
          .updateShardLocation(shard, a.id),
      )
      await scene.settle(Promise.all(writes))
      const { locations, revision } = await scene.settle(
        b.sharding.externalShardAllocation('Counter').shardLocations(),
      )
      expect([locations.size, revision]).toEqual([10, 10])
    })
  })

  test('is refused by name where the store has no registers, and there the default strategy decides', async () => {
    await play(
      async (scene) => {
        const journal = (real: Journal): Journal => ({
          claim: (...of) => real.claim(...of),
          highestSequenceNr: (...of) => real.highestSequenceNr(...of),
          append: (...of) => real.append(...of),
          read: (...of) => real.read(...of),
          close: () => real.close(),
        })
        const a = await scene.start('a', { init, journal })
        expect(() => a.sharding.externalShardAllocation('Counter')).toThrow(StoreCannot)
        expect((await scene.settle(countOf(a, 'cats'))).node).toBe(a.id)
      },
      { seeds: 1 },
    )
  })
})
