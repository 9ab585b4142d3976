/** What users can do wrong, and that it harms nobody else: everything lost has a reason, and whoever asked hears at once. */
import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, type DeadLetter, type Dropped } from '../../src/actor/index.ts'
import {
  DuplicateOwner,
  EntityTypeKey,
  type ExtractorFunctions,
  type RegionDefinition,
} from '../../src/sharding/index.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

interface Note {
  readonly to: unknown
  readonly replyTo?: ActorRef<string>
  readonly text?: string
}

/** Echoes by their own message, with whatever functions. */
function echoes(functions: ExtractorFunctions<Note, Note>, role?: string) {
  const definition: RegionDefinition<Note, Note> = {
    entityType: 'Echo',
    settings: { numberOfShards: 4 },
    behavior:
      ({ entityId }) =>
      ({ replyTo }) =>
        replyTo?.tell(entityId),
    ...functions,
    ...(role === undefined ? {} : { role }),
  }
  return ({ sharding }: ShardingNode): void => void sharding.start(definition)
}

function ask(scene: Scene, node: ShardingNode, to: unknown, timeout: `${number}s` = '5s') {
  const region = node.sharding.regionOf('Echo') as ActorRef<Note>
  return scene.settle(
    region
      .ask<string>((replyTo) => ({ to, replyTo }), { timeout })
      .catch((error: unknown) => error),
  )
}

const reasonsOn = ({ lost }: ShardingNode): string[] =>
  lost.map((each) => (each as DeadLetter | Dropped).reason)

describe('an extractor', () => {
  const bad: readonly (readonly [
    string,
    ExtractorFunctions<Note, Note>,
    unknown,
    string,
    string,
  ])[] = [
    ['finds nobody', {}, undefined, 'no-entity', 'NO_ENTITY_IN_MESSAGE'],
    ['answers an empty id', {}, '', 'invalid-entity-id', 'INVALID_ENTITY_ID'],
    ['answers a number', {}, 5, 'invalid-entity-id', 'INVALID_ENTITY_ID'],
    ['answers a huge id', {}, 'x'.repeat(9_999), 'invalid-entity-id', 'INVALID_ENTITY_ID'],
    [
      ...(['answers no shard', { extractShardId: () => 99 }] as const),
      ...(['ada', 'invalid-shard-id', 'INVALID_SHARD_ID'] as const),
    ],
    [
      ...(['answers an empty shard', { extractShardId: () => '' }] as const),
      ...(['ada', 'invalid-shard-id', 'INVALID_SHARD_ID'] as const),
    ],
  ]

  test.each(bad)(
    'that %s makes a dead letter of it, and whoever asked hears at once',
    async (_, functions, to, reason, code) => {
      const init = echoes({ extractEntityId: (note) => note.to as string, ...functions })
      await play(
        async (scene) => {
          const node = await scene.start('a', { init })
          const begunMs = scene.simulation.now
          expect(await ask(scene, node, to)).toMatchObject({ code })
          expect(scene.simulation.now).toBe(begunMs)
          const region = node.sharding.regionOf('Echo') as ActorRef<Note>
          region.tell({ to })
          expect(reasonsOn(node)).toEqual([reason, reason])
          if (functions.extractShardId === undefined) {
            expect(await ask(scene, node, 'ada')).toBe('ada')
          }
        },
        { seeds: 1 },
      )
    },
  )

  test('that throws, for one message or for one id, harms no other', async () => {
    const init = echoes({
      extractEntityId: ({ to }) => {
        if (to === 'throw') throw new Error('no such customer')
        return to as string
      },
      extractShardId: (entityId) => {
        if (entityId === 'nowhere') throw new Error('no such country')
        return entityId.length % 4
      },
    })
    await play(async (scene) => {
      const [a, b] = [await scene.start('a', { init }), await scene.start('b', { init })]
      for (const node of [a, b]) {
        const thrown = await ask(scene, node, 'throw')
        expect(thrown).toMatchObject({ code: 'EXTRACTOR_FAILED' })
        expect(String(thrown)).toContain('no such customer')
        expect(await ask(scene, node, 'nowhere')).toMatchObject({ code: 'EXTRACTOR_FAILED' })
        expect(reasonsOn(node)).toEqual(['extractor-failed', 'extractor-failed'])
        for (const id of ['ada', 'bo', 'carol', 'd']) expect(await ask(scene, node, id)).toBe(id)
      }
    })
  })

  test('that answers differently twice is noticed, and its message is not delivered', async () => {
    let calls = 0
    const init = echoes({
      extractEntityId: ({ to }) => to as string,
      extractShardId: (entityId) => (entityId === 'fickle' ? ++calls % 4 : 0),
    })
    await play(
      async (scene) => {
        const node = await scene.start('a', { init })
        expect(await ask(scene, node, 'fickle')).toMatchObject({ code: 'EXTRACTOR_UNSTABLE' })
        expect(reasonsOn(node)).toEqual(['extractor-unstable'])
        expect(await ask(scene, node, 'steady')).toBe('steady')
      },
      { seeds: 1 },
    )
  })

  test('that answers differently on two nodes is noticed when a message comes back', async () => {
    await play(
      async (scene) => {
        /** The shard of `split`, on hosts and on the proxy; all others are in that of their last digit. */
        const shardOf = { host: 0, proxy: 0 }
        const functions = (kind: 'host' | 'proxy'): ExtractorFunctions<Note, Note> => ({
          extractEntityId: ({ to }) => to as string,
          extractShardId: (id) => (id === 'split' ? shardOf[kind] : Number(id.at(-1))),
        })
        const host = echoes({ ...functions('host') }, 'host')
        const a = await scene.start('a', { init: host, roles: ['host'] })
        await scene.start('b', { init: host, roles: ['host'] })
        const proxy = await scene.start('c', {
          init: ({ sharding }) => {
            const settings = { numberOfShards: 4 }
            sharding.startProxy({
              ...{ entityType: 'Echo', role: 'host', settings, ...functions('proxy') },
            })
          },
        })
        for (const id of ['x0', 'x1', 'x2', 'x3']) expect(await ask(scene, proxy, id)).toBe(id)
        const homes = proxy.sharding.shardHomes('Echo')
        shardOf.host = [0, 1, 2, 3].find((shard) => homes.get(shard) !== a.id)!
        shardOf.proxy = [0, 1, 2, 3].find((shard) => homes.get(shard) === a.id)!
        expect(await ask(scene, proxy, 'split')).toMatchObject({ code: 'EXTRACTOR_UNSTABLE' })
        expect(reasonsOn(proxy)).toEqual(['extractor-unstable'])
        expect(await ask(scene, proxy, 'x1')).toBe('x1')
      },
      { seeds: 4 },
    )
  })

  test('that lets an entity live in two shards is told of with both homes', async () => {
    await play(
      async (scene) => {
        const by = (shard: number) =>
          echoes({ extractEntityId: ({ to }) => to as string, extractShardId: () => shard })
        const a = await scene.start('a', { init: by(1), isWatched: false })
        const b = await scene.start('b', { init: by(2), isWatched: false })
        const duplicates: DuplicateOwner[] = []
        a.system.eventStream.subscribe(DuplicateOwner, (event) => void duplicates.push(event))
        expect(await ask(scene, a, 'ada')).toBe('ada')
        expect(await ask(scene, b, 'ada')).toBe('ada')
        const { duplicates: found } = await scene.settle(a.sharding.clusterState('Echo'))
        expect(found).toMatchObject([{ entityId: 'ada' }])
        expect(new Set(found[0]!.owners.map(({ node }) => node))).toEqual(new Set([a.id, b.id]))
        expect(duplicates).toMatchObject(found)
      },
      { seeds: 2 },
    )
  })
})

interface Ask {
  readonly replyTo: ActorRef<string>
  readonly text?: string
}

const guests = new EntityTypeKey<Ask>('Guest')

describe('an entity', () => {
  test('whose factory throws fails alone, each time anew, and its neighbours live', async () => {
    await play(async (scene) => {
      let attempts = 0
      const init = ({ sharding }: ShardingNode): void =>
        void sharding.init<Ask>({
          key: guests,
          settings: { numberOfShards: 1 },
          behavior: ({ entityId }) => {
            if (entityId === 'broken' && ++attempts < 3) throw new Error('no table is free')
            return ({ replyTo }) => replyTo.tell(entityId)
          },
        })
      const node = await scene.start('a', { init })
      const call = (id: string) =>
        scene.settle(
          node.sharding
            .entityRefFor(guests, id)
            .ask<string>((replyTo) => ({ replyTo }), { timeout: '1s' })
            .catch(() => 'failed'),
        )
      expect(await call('ada')).toBe('ada')
      const before = attempts
      expect(await call('broken')).toBe('failed')
      expect(await call('broken')).toBe('failed')
      expect([await call('ada'), await call('bob')]).toEqual(['ada', 'bob'])
      // The next message tries again.
      expect(await call('broken')).toBe('broken')
      expect(attempts - before).toBeGreaterThanOrEqual(3)
      attempts = 0
    })
  })
})

describe('too much', () => {
  test('for the buffer: the newest is dropped with a reason, the rest arrives in order', async () => {
    await play(async (scene) => {
      const got: string[] = []
      const settings = { numberOfShards: 1, bufferedMessagesMax: 5 }
      const host = ({ sharding }: ShardingNode): void =>
        void sharding.init<Ask>({
          ...{ key: guests, role: 'host', settings },
          behavior: () => Behaviors.receiveMessage(({ text }) => void got.push(text!)),
        })
      const proxy = ({ sharding }: ShardingNode): void =>
        void sharding.startProxy({ entityType: 'Guest', role: 'host', settings })
      const a = await scene.start('a', { init: host, roles: ['host'] })
      const b = await scene.start('b', { init: proxy })
      const ref = b.sharding.entityRefFor(guests, 'ada')
      const texts = ['1', '2', '3', '4', '5', '6', '7']
      for (const text of texts) ref.tell({ text } as Ask)
      const refused = ref.ask<string>((replyTo) => ({ replyTo, text: '8' }))
      expect(await scene.settle(refused.catch((error: unknown) => error))).toMatchObject({
        ...{ code: 'ENTITY_MESSAGE_DROPPED', reason: 'shard-buffer-full' },
      })
      await scene.simulation.runUntil(() => got.length === 5)
      expect(got).toEqual(texts.slice(0, 5))
      expect(reasonsOn(b)).toEqual(['shard-buffer-full', 'shard-buffer-full', 'shard-buffer-full'])
      ref.tell({ text: '9' } as Ask)
      await scene.simulation.runUntil(() => got.length === 6)
      expect([got.at(-1), a.lost]).toEqual(['9', []])
    })
  })

  test('for one frame: the message is refused where it is sent, and others get through', async () => {
    await play(
      async (scene) => {
        const host = ({ sharding }: ShardingNode): void =>
          void sharding.init<Ask>({
            ...{ key: guests, role: 'host', settings: { numberOfShards: 1 } },
            behavior: () => Behaviors.receiveMessage(({ replyTo, text }) => replyTo.tell(text!)),
          })
        const proxy = ({ sharding }: ShardingNode): void => {
          const settings = { numberOfShards: 1 }
          sharding.startProxy({ entityType: 'Guest', role: 'host', settings })
        }
        await scene.start('a', { init: host, roles: ['host'] })
        const b = await scene.start('b', { init: proxy })
        const ref = b.sharding.entityRefFor(guests, 'ada')
        const say = (text: string) =>
          scene.settle(
            ref.ask<string>((replyTo) => ({ replyTo, text })).catch((error: unknown) => error),
          )
        const huge = 'x'.repeat(64 * 1024 * 1024)
        // Both while its home is not known yet, and on the way that is.
        expect(await say(huge)).toBeInstanceOf(Error)
        expect(await say('small')).toBe('small')
        expect(await say(huge)).toBeInstanceOf(Error)
        expect(await say('small again')).toBe('small again')
      },
      { seeds: 1 },
    )
  })
})
