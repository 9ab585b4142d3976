import { describe, expect, test } from 'vitest'
import { type ActorRef, AskTimeout, Behaviors } from '../../src/actor/index.ts'
import {
  EntityTypeKey,
  HashCodeNoEnvelopeMessageExtractor,
  type ShardingEnvelope,
} from '../../src/sharding/index.ts'
import { play, type ShardingNode } from './scene.ts'

interface WhoAreYou {
  readonly type: 'WhoAreYou'
  readonly replyTo: ActorRef<string>
}

interface Addressed extends WhoAreYou {
  readonly id: string
}

interface Ping {
  readonly type: 'Ping'
  readonly replyTo: ActorRef<string>
}

/** With the id it is meant for, which the entity compares with its own. */
interface Echo {
  readonly type: 'Echo'
  readonly id: string
  readonly replyTo: ActorRef<string>
}

const people = new EntityTypeKey<WhoAreYou>('Person')
const enveloped = new EntityTypeKey<Ping>('Enveloped')
const echoes = new EntityTypeKey<Echo>('Echo')
const stones = new EntityTypeKey<WhoAreYou>('Stone')

function init({ sharding, name }: ShardingNode): void {
  sharding.init<WhoAreYou>({
    key: people,
    behavior:
      ({ entityId }) =>
      ({ replyTo }) =>
        replyTo.tell(`${entityId} on ${name}`),
  })
  sharding.init({ key: stones, behavior: () => Behaviors.ignore })
  sharding.init<Ping>({
    key: enveloped,
    settings: { numberOfShards: 10 },
    behavior:
      ({ entityId }) =>
      (message) =>
        message.replyTo.tell(`${entityId} heard ${Object.keys(message).join()}`),
  })
  sharding.start<Addressed, Addressed>({
    entityType: 'Neighbour',
    extractor: new HashCodeNoEnvelopeMessageExtractor(10, ({ id }) => id),
    settings: { numberOfShards: 10 },
    behavior:
      ({ entityId }) =>
      ({ id, replyTo }) =>
        replyTo.tell(`${entityId}=${id}`),
  })
}

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `test${from + index}`)

describe('SH-010 envelopes and messages with an id', () => {
  test('test1 to test10 from one node and test11 to test21 from the other, for both types', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      for (const [node, names] of [
        [a, numbered(1, 10)],
        [b, numbered(11, 21)],
      ] as const) {
        const region = node.sharding.regionOf('Enveloped') as ActorRef<ShardingEnvelope<Ping>>
        const neighbours = node.sharding.regionOf('Neighbour') as ActorRef<Addressed>
        const answers = names.flatMap((entityId) => [
          region.ask<string>((replyTo) => ({ entityId, message: { type: 'Ping', replyTo } })),
          neighbours.ask<string>((replyTo) => ({ type: 'WhoAreYou', id: entityId, replyTo })),
        ])
        const expected = names.flatMap((id) => [`${id} heard type,replyTo`, `${id}=${id}`])
        expect(await scene.settle(Promise.all(answers))).toEqual(expected)
      }
      for (const type of ['Enveloped', 'Neighbour']) {
        const hosts = await scene.settle(a.sharding.shardsByRegion(type))
        const shards = [...hosts.values()].flat()
        expect(Math.max(...shards)).toBeLessThan(10)
        expect([...hosts.keys()].sort()).toEqual([a.id, b.id].sort())
      }
      expect([...a.lost, ...b.lost]).toEqual([])
    })
  })
})

describe('SH-011 ways to an entity', () => {
  test('a ref, an envelope or a message with an id reach it from every node', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      for (const [node, names] of [
        [a, ['bob', 'alice', 'charlie', 'a/b', '$x', '..', 'é%20']],
        [b, ['bob', 'alice', 'dora', 'a/b', '$x', '..', 'é%20']],
      ] as const) {
        const region = node.sharding.regionOf('Person') as ActorRef<ShardingEnvelope<WhoAreYou>>
        const neighbours = node.sharding.regionOf('Neighbour') as ActorRef<Addressed>
        for (const id of names) {
          const ref = node.sharding.entityRefFor(people, id)
          const byRef = ref.ask<string>((replyTo) => ({ type: 'WhoAreYou', replyTo }))
          expect((await scene.settle(byRef)).split(' on ')[0]).toBe(id)
          const byEnvelope = region.ask<string>((replyTo) => ({
            entityId: id,
            message: { type: 'WhoAreYou', replyTo },
          }))
          expect(await scene.settle(byEnvelope)).toBe(await scene.settle(byRef))
          const byId = neighbours.ask<string>((replyTo) => ({ type: 'WhoAreYou', id, replyTo }))
          expect(await scene.settle(byId)).toBe(`${id}=${id}`)
        }
      }
      expect([...a.lost, ...b.lost]).toEqual([])
    })
  })

  test('a message told to a ref reaches it, from every node', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      const names = ['bob', 'alice', 'charlie']
      for (const node of [a, b]) {
        const answers: string[] = []
        const listener = node.system.spawn(
          Behaviors.receiveMessage<string>((answer) => void answers.push(answer)),
        )
        for (const name of names) {
          const ref = node.sharding.entityRefFor(people, name)
          ref.tell({ type: 'WhoAreYou', replyTo: listener })
        }
        await scene.simulation.runUntil(() => answers.length === names.length, {
          what: 'an answer of each',
        })
        const heardOf = new Set(answers.map((answer) => answer.split(' on ')[0]))
        expect(heardOf).toEqual(new Set(names))
      }
      expect([...a.lost, ...b.lost]).toEqual([])
    })
  })

  test('an actor asks with its context; the address for the answer says whom it asked', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      await scene.start('b', { init })
      const answers: string[] = []
      const addresses: string[] = []
      const names = ['bob', 'alice', 'a/b']
      a.system.spawn(
        Behaviors.setup<string>((context) => {
          for (const name of names) {
            const make = (replyTo: ActorRef<string>): WhoAreYou => {
              addresses.push(replyTo.toString())
              return { type: 'WhoAreYou', replyTo }
            }
            const done = (answer: string): string => answer
            context.ask(a.sharding.entityRefFor(people, name), make, { done })
          }
          return Behaviors.receiveMessage((answer) => void answers.push(answer))
        }),
      )
      await scene.simulation.runUntil(() => answers.length === names.length)
      expect(new Set(answers.map((answer) => answer.split(' on ')[0]))).toEqual(new Set(names))
      for (const [index, name] of ['Person-bob', 'Person-alice', 'Person-a%2Fb'].entries()) {
        expect(addresses[index]).toContain(name)
      }
      expect(a.lost).toEqual([])
    })
  })

  test('an ask that times out says whom it asked for what, and for how long', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init })
      const stone = node.sharding.entityRefFor(stones, 'rock-7')
      let address = ''
      const question = (replyTo: ActorRef<string>): WhoAreYou => {
        address = replyTo.toString()
        return { type: 'WhoAreYou', replyTo }
      }
      const asked = stone.ask<string>(question, { timeout: '10ms' })
      expect(address).toContain('Stone-rock-7')
      const error: unknown = await scene.settle(asked.catch((thrown: unknown) => thrown))
      expect(error).toBeInstanceOf(AskTimeout)
      const { message } = error as AskTimeout
      for (const part of ['Stone', 'rock-7', 'WhoAreYou', '10 ms']) expect(message).toContain(part)
    })
  })
})

describe('SH-015 many at once', () => {
  test('every message reaches its own entity, over 20 shards, 20 at a time', async () => {
    await play(
      async (scene) => {
        const mismatches: string[] = []
        const hosts = ({ sharding }: ShardingNode): void =>
          void sharding.init<Echo>({
            key: echoes,
            settings: { numberOfShards: 20 },
            behavior:
              ({ entityId }) =>
              ({ id, replyTo }) => {
                if (id !== entityId) mismatches.push(`${id} came to ${entityId}`)
                replyTo.tell(entityId)
              },
          })
        const [a, b] = [
          await scene.start('a', { init: hosts }),
          await scene.start('b', { init: hosts }),
        ]
        const startMs = scene.simulation.now
        const echoed: string[] = []
        const ids = Array.from({ length: 2_000 }, (_, index) => `${index + 1}`)
        const waiting = ids.values()
        const asker = async (): Promise<void> => {
          for (const id of waiting) {
            const { sharding } = Number(id) % 2 === 0 ? a : b
            const ref = sharding.entityRefFor(echoes, id)
            echoed.push(await ref.ask<string>((replyTo) => ({ type: 'Echo', id, replyTo })))
          }
        }
        await scene.settle(Promise.all(Array.from({ length: 20 }, asker)))
        expect(mismatches).toEqual([])
        expect(echoed.toSorted((x, y) => Number(x) - Number(y))).toEqual(ids)
        expect(scene.simulation.now - startMs).toBeLessThan(10_000)
        const hosting = await scene.settle(a.sharding.shardsByRegion('Echo'))
        expect([...hosting.values()].flat()).toHaveLength(20)
      },
      { seeds: 2 },
    )
  })
})
