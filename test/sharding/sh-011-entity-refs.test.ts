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

const people = new EntityTypeKey<WhoAreYou>('Person')
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
  sharding.start<Addressed, Addressed>({
    typeName: 'Neighbour',
    extractor: new HashCodeNoEnvelopeMessageExtractor(10, ({ id }) => id),
    settings: { numberOfShards: 10 },
    behavior:
      ({ entityId }) =>
      ({ id, replyTo }) =>
        replyTo.tell(`${entityId}=${id}`),
  })
}

describe('SH-010 and SH-011 ways to an entity', () => {
  test('a ref, an envelope or a message with an id reach it from every node', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      for (const [node, names] of [
        [a, ['bob', 'alice', 'charlie', 'test1', 'test2', 'a/b', '$x', '..', 'é%20']],
        [b, ['bob', 'alice', 'dora', 'test11', 'test12', 'a/b', '$x', '..', 'é%20']],
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
      const asked = stone.ask<string>((replyTo) => ({ type: 'WhoAreYou', replyTo }), {
        timeout: '10ms',
      })
      const error: unknown = await scene.settle(asked.catch((thrown: unknown) => thrown))
      expect(error).toBeInstanceOf(AskTimeout)
      const { message } = error as AskTimeout
      for (const part of ['Stone', 'rock-7', 'WhoAreYou', '10 ms']) expect(message).toContain(part)
    })
  })
})

describe('SH-015 many at once', () => {
  test('every message reaches its own entity', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        const asks = Array.from({ length: 2_000 }, (_, index) => {
          const { sharding } = index % 2 === 0 ? a : b
          const ref = sharding.entityRefFor(people, `${index}`)
          return ref.ask<string>((replyTo) => ({ type: 'WhoAreYou', replyTo }), { timeout: '10s' })
        })
        const answers = await scene.settle(Promise.all(asks))
        expect(answers.map((answer) => answer.split(' ')[0])).toEqual(
          Array.from({ length: 2_000 }, (_, index) => `${index}`),
        )
      },
      { seeds: 2 },
    )
  })
})
