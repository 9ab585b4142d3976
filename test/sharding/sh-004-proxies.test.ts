import { describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import {
  CoordinatorStarted,
  type RegionDefinition,
  shardingEnvelope,
  type ShardingEnvelope,
} from '../../src/sharding/index.ts'
import {
  add,
  ByNumber,
  type Counted,
  countOf,
  counter,
  hostCounters,
  type ToCounter,
} from './counter.ts'
import { play, type ShardingNode } from './scene.ts'

const twelve = {
  extractor: new ByNumber(12),
  settings: { numberOfShards: 12, rebalanceIntervalMs: 3_600_000 },
}
const get = (entityId: string) => (replyTo: ActorRef<Counted>) => ({
  ...{ entityId, message: { type: 'Get', replyTo } as const },
})

describe('SH-004 a proxy', () => {
  test('beside a region is that region, and routes to every node', async () => {
    await play(async (scene) => {
      const init = (node: ShardingNode): void => hostCounters(node, twelve)
      const [a, b] = [await scene.start('a', { init }), await scene.start('b', { init })]
      add(a, '1', 1, 1)
      add(a, '2', 5)
      await scene.settle(Promise.all([countOf(a, '1'), countOf(a, '2')]))
      const proxy = b.sharding.startProxy<ShardingEnvelope<ToCounter>, ToCounter>({
        ...{ ...twelve, entityType: 'Counter' },
      })
      const [one, two] = await scene.settle(Promise.all([proxy.ask(get('1')), proxy.ask(get('2'))]))
      expect([one?.count, two?.count]).toEqual([2, 5])
      expect(new Set([one?.node, two?.node])).toEqual(new Set([a.id, b.id]))
      expect((await scene.settle(b.sharding.clusterStats('Counter'))).counts).toMatchObject({
        ...{ regions: 2, shards: 2, entities: 2 },
      })
    })
  })

  test('is what a type becomes on a node without its role, and hosts and decides nothing', async () => {
    await play(async (scene) => {
      const init = (node: ShardingNode): void => hostCounters(node, { ...twelve, role: 'R' })
      const a = await scene.start('a', { init, roles: ['R'] })
      const b = await scene.start('b', { init, roles: ['R'] })
      const deciding: string[] = []
      const c = await scene.start('c', {
        init: (node) => {
          node.system.eventStream.subscribe(CoordinatorStarted, () => void deciding.push('c'))
          init(node)
        },
      })
      expect([c.sharding.entityTypes, c.sharding.hostedEntityTypes]).toEqual([['Counter'], []])
      expect(b.sharding.hostedEntityTypes).toEqual(['Counter'])
      const ids = Array.from({ length: 12 }, (_, index) => `${index}`)
      for (const id of ids) add(c, id, 3)
      const counted = await scene.settle(Promise.all(ids.map((id) => countOf(c, id))))
      expect(counted.map(({ count }) => count)).toEqual(ids.map(() => 3))
      expect(new Set(counted.map(({ node }) => node))).toEqual(new Set([a.id, b.id]))
      expect(c.sharding.regionState('Counter')).toMatchObject({ isProxy: true, shards: [] })
      const stats = await scene.settle(c.sharding.clusterStats('Counter'))
      expect(new Set(stats.regions.map(({ node }) => node))).toEqual(new Set([a.id, b.id]))
      expect(await scene.settle(c.sharding.currentRegions('Counter'))).toEqual(
        new Set([a.id, b.id]),
      )
      // The oldest goes, then the next: it still decides nothing.
      await scene.settle(a.system.terminate())
      await scene.settle(countOf(c, '1'))
      expect(deciding).toEqual([])
    })
  })
})

/** What a counter takes by functions: its number stands in the message. */
type Numbered = ToCounter & { readonly of: number }

describe('SH-010 functions for an extractor', () => {
  test('route messages that name their entity themselves, and envelopes beside them', async () => {
    await play(async (scene) => {
      const definition = (node: ShardingNode): RegionDefinition<Numbered, ToCounter> => ({
        entityType: 'Counter',
        behavior: (entity) => counter(node, entity, 1),
        extractEntityId: ({ of, ...message }) => ({
          ...{ entityId: `n${of}`, message: message as ToCounter },
        }),
        // Its shard has a name.
        extractShardId: (entityId) => (Number(entityId.slice(1)) % 2 === 0 ? 'even' : 'odd'),
        extractorId: 'by-parity@1',
      })
      const init = (node: ShardingNode): void => void node.sharding.start(definition(node))
      const [a, b] = [await scene.start('a', { init }), await scene.start('b', { init })]
      for (const node of [a, b]) {
        const region = node.sharding.regionOf('Counter') as ActorRef<Numbered | ShardingEnvelope>
        for (let of = 1; of <= 10; of++) region.tell({ type: 'Add', by: 1, of })
        region.tell(shardingEnvelope('n3', { type: 'Add', by: 100 }))
        const count = region.ask<Counted>((replyTo) => ({ type: 'Get', replyTo, of: 3 }))
        expect((await scene.settle(count)).count % 101).toBe(0)
      }
      const whole = await scene.settle(a.sharding.clusterState('Counter'))
      expect(whole.counts).toMatchObject({ shards: 2, entities: 10 })
      for (const { shards } of whole.regions) {
        for (const { entityIds = [] } of shards) {
          const parities = new Set(entityIds.map((id) => Number(id.slice(1)) % 2))
          expect(parities.size).toBe(1)
        }
      }
      expect([...a.lost, ...b.lost]).toEqual([])
    })
  })
})
