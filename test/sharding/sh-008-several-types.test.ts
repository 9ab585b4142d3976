import { expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { EntityTypeKey, EntityTypeRedefined } from '../../src/sharding/index.ts'
import { play, type ShardingNode } from './scene.ts'

type ToTally =
  | { readonly type: 'Add'; readonly by: number }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<number> }

const keyOf = (name: string) => new EntityTypeKey<ToTally>(name)

const tally = () => {
  let sum = 0
  return Behaviors.receiveMessage<ToTally>((message) => {
    if (message.type === 'Add') sum += message.by
    else message.replyTo.tell(sum)
  })
}

const sumOf = ({ sharding }: ShardingNode, name: string): Promise<number> =>
  sharding
    .entityRefFor(keyOf(name), 'x')
    .ask<number>((replyTo) => ({ type: 'Get', replyTo }), { timeout: '60s' })

test('SH-008 several types live side by side, and a second start gives the same region', async () => {
  await play(
    async (scene) => {
      const a = await scene.start('a')
      const b = await scene.start('b')
      expect(a.sharding.entityTypes).toEqual([])
      const regions = ['type1', 'type2'].map((name) =>
        [a, b].map(({ sharding }) => sharding.init({ key: keyOf(name), behavior: tally })),
      )
      expect(a.sharding.entityTypes).toEqual(['type1', 'type2'])
      expect(a.sharding.init({ key: keyOf('type1'), behavior: tally })).toBe(regions[0]![0])
      expect(a.sharding.regionOf('type1')).toBe(regions[0]![0])
      for (let count = 0; count < 5; count++) {
        b.sharding.entityRefFor(keyOf('type1'), 'x').tell({ type: 'Add', by: 1 })
        b.sharding.entityRefFor(keyOf('type2'), 'x').tell({ type: 'Add', by: -1 })
      }
      const sums = ['type1', 'type2'].map((name) => sumOf(b, name))
      expect(await scene.settle(Promise.all(sums))).toEqual([5, -5])
    },
    { seeds: 3 },
  )
})

test('SH-008 twenty types that start at once all answer', async () => {
  await play(
    async (scene) => {
      const a = await scene.start('a')
      const b = await scene.start('b')
      const names = Array.from({ length: 20 }, (_, index) => `many${index}`)
      for (const name of names) {
        for (const { sharding } of [a, b]) sharding.init({ key: keyOf(name), behavior: tally })
      }
      const begunMs = scene.simulation.now
      const sums = await scene.settle(Promise.all(names.map((name) => sumOf(b, name))))
      expect(sums).toEqual(names.map(() => 0))
      expect(scene.simulation.now - begunMs).toBeLessThan(60_000)
    },
    { seeds: 2 },
  )
})

test('SH-009 a name that is started again with another protocol is refused, and the first one stays', async () => {
  await play(
    async (scene) => {
      const a = await scene.start('a')
      const key = new EntityTypeKey<ToTally>('envelope-shard')
      const region = a.sharding.init({ key, behavior: tally })
      const other = new EntityTypeKey<string>('envelope-shard')
      const again = () => a.sharding.init({ key: other, behavior: () => Behaviors.ignore })
      expect(again).toThrow(EntityTypeRedefined)
      expect(again).toThrow('is already started on this node with another behavior')
      expect(a.sharding.regionOf('envelope-shard')).toBe(region)
      expect(await scene.settle(sumOf(a, 'envelope-shard'))).toBe(0)
    },
    { seeds: 1 },
  )
})
