import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../../src/actor/index.ts'
import {
  EntityStopped,
  EntityTypeKey,
  type LimitedPassivation,
  type MessageExtractor,
  NoActiveEntityLimit,
  SetActiveEntityLimit,
  type ShardingEnvelope,
} from '../../../src/sharding/index.ts'
import { add, countOf, hostCounters } from '../counter.ts'
import { play, type Scene, type ShardingNode } from '../scene.ts'

type ToGuest =
  | { readonly type: 'Ping'; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Rest' }

const guests = new EntityTypeKey<ToGuest>('Guest')

/** `2:21` is entity 21 in shard 2. */
class ByShard implements MessageExtractor<ShardingEnvelope<ToGuest>, ToGuest> {
  entityId({ entityId }: ShardingEnvelope<ToGuest>): string {
    return entityId
  }

  shardId(entityId: string): number {
    return Number(entityId.split(':')[0])
  }

  unwrapMessage({ message }: ShardingEnvelope<ToGuest>): ToGuest {
    return message
  }
}

function hostGuests({ sharding }: ShardingNode, passivation: LimitedPassivation): void {
  sharding.init<ToGuest>({
    key: guests,
    extractor: new ByShard(),
    settings: { numberOfShards: 4 },
    passivation,
    behavior: (entity) =>
      Behaviors.receiveMessage<ToGuest>((message) => {
        if (message.type === 'Ping') message.replyTo.tell(entity.entityId)
        else entity.passivate()
      }),
  })
}

async function hotel(scene: Scene, passivation: LimitedPassivation) {
  const node = await scene.start('a', { init: (starting) => hostGuests(starting, passivation) })
  const stopped: number[] = []
  node.system.eventStream.subscribe(EntityStopped, ({ entityId }) =>
    stopped.push(Number(entityId.split(':')[1])),
  )
  const refOf = (shard: number, id: number) => node.sharding.entityRefFor(guests, `${shard}:${id}`)
  const idle = (): Promise<void> => scene.simulation.run({ for: '50ms' }).then(() => undefined)
  /** One after the other; answers who stopped, in order. Whose turn it is among several that stop is drawn. */
  const say = async (shard: number, ids: readonly number[]): Promise<number[]> => {
    stopped.length = 0
    for (const id of ids) {
      const ping = refOf(shard, id).ask<string>((replyTo) => ({ type: 'Ping', replyTo }))
      expect(await scene.settle(ping)).toBe(`${shard}:${id}`)
      await idle()
    }
    return [...stopped]
  }
  const rest = async (shard: number, id: number): Promise<void> => {
    refOf(shard, id).tell({ type: 'Rest' })
    await idle()
  }
  const active = (shard: number): number[] => {
    const { shards } = node.sharding.regionState('Guest')
    const ids = shards.find((each) => each.shard === shard)?.entityIds ?? []
    return sorted(ids.map((id) => Number(id.split(':')[1])))
  }
  return { node, say, rest, active, idle, stopped }
}

const sorted = (ids: readonly number[]): number[] => ids.toSorted((a, b) => a - b)

const span = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('SH-055 a limit in a region', () => {
  test('those unused for longest rest, by an equal part for every shard', async () => {
    await play(
      async (scene) => {
        const given = { activeEntityLimit: 10, replacement: 'least-recently-used' } as const
        const { node, say, rest, active } = await hotel(scene, given)
        expect(await say(1, span(1, 20))).toEqual(span(1, 10))
        expect(sorted(await say(2, [21]))).toEqual(span(11, 15))
        expect([active(1), active(2)]).toEqual([span(16, 20), [21]])
        expect(await say(2, span(21, 24))).toEqual([])
        expect(sorted(await say(3, [31]))).toEqual([16, 17, 21])
        await rest(1, 19)
        expect(active(1)).toEqual([18, 20])
        expect(await say(1, [11])).toEqual([])
        expect(await say(1, [12])).toEqual([18])
        expect(active(1)).toEqual([11, 12, 20])
        expect(node.lost).toEqual([])
      },
      { seeds: 3 },
    )
  })

  test('those used last rest, but not the one that a message came for', async () => {
    await play(
      async (scene) => {
        const given = { activeEntityLimit: 10, replacement: 'most-recently-used' } as const
        const { say, active } = await hotel(scene, given)
        expect(await say(1, span(1, 20))).toEqual(span(10, 19))
        expect(sorted(await say(2, [21]))).toEqual([6, 7, 8, 9, 20])
        expect(active(1)).toEqual(span(1, 5))
      },
      { seeds: 3 },
    )
  })
})

describe('SH-058 a filter in a region', () => {
  test('one that is not worth a place handles its message and rests', async () => {
    await play(
      async (scene) => {
        const { node, say, active } = await hotel(scene, {
          activeEntityLimit: 3,
          replacement: 'least-recently-used',
          admission: { filter: 'frequency-sketch' },
        })
        expect(await say(1, span(1, 6))).toEqual([4, 5, 6])
        expect(await say(1, [4])).toEqual([1])
        expect(active(1)).toEqual([2, 3, 4])
        expect(node.lost).toEqual([])
      },
      { seeds: 3 },
    )
  })
})

describe('SH-059 limits together with time, and at run time', () => {
  test('only idle ones rest when there is room, each more than the idle time after its last message', async () => {
    await play(
      async (scene) => {
        const given: LimitedPassivation = {
          ...{ activeEntityLimit: 3, replacement: 'least-recently-used', idleAfterMs: 1_000 },
        }
        const { say, active, stopped } = await hotel(scene, given)
        await say(1, [1, 2])
        const beganMs = scene.simulation.now
        // The last of them is said well before the time of 2 is over.
        while (scene.simulation.now < beganMs + 700) {
          await scene.simulation.run({ for: '200ms' })
          expect(await say(1, [1])).toEqual([])
        }
        while (scene.simulation.now < beganMs + 1_700) {
          await scene.simulation.run({ for: '200ms' })
          await say(1, [1])
        }
        expect(active(1)).toEqual([1])
        await scene.simulation.runUntil(() => stopped.includes(1), { what: 'the end of 1' })
        expect(active(1)).toEqual([])
      },
      { seeds: 5 },
    )
  })

  test('a limit that is set holds at once, and for shards that come later', async () => {
    await play(
      async (scene) => {
        const given = { activeEntityLimit: 10, replacement: 'least-recently-used' } as const
        const { node, say, active, idle } = await hotel(scene, given)
        await say(1, span(1, 20))
        await say(2, [21])
        node.sharding.setActiveEntityLimit('Guest', 6)
        await idle()
        expect(active(1)).toEqual([18, 19, 20])
        expect(await say(1, span(1, 10))).toEqual([18, 19, 20, ...span(1, 7)])
        const region = node.sharding.regionOf('Guest') as ActorRef<SetActiveEntityLimit>
        region.tell(new SetActiveEntityLimit(12))
        expect(await say(1, span(11, 20))).toEqual([8, 9, 10, ...span(11, 14)])
        expect(sorted(await say(3, [31]))).toEqual([15, 16])
        expect([active(1), active(3)]).toEqual([span(17, 20), [31]])
      },
      { seeds: 3 },
    )
  })

  test('a limit is not made where none was chosen, and must be one', async () => {
    await play(
      async (scene) => {
        const node = await scene.start('a', { init: (starting) => hostCounters(starting) })
        expect(() => node.sharding.setActiveEntityLimit('Counter', 5)).toThrow(NoActiveEntityLimit)
        expect(() => node.sharding.setActiveEntityLimit('Counter', 0)).toThrow(
          'activeEntityLimit must be a whole number of at least 1, not 0',
        )
      },
      { seeds: 1 },
    )
  })
})

describe('SH-055 under load', () => {
  test.each(['least-recently-used', 'most-recently-used', 'adaptive'] as const)(
    '%s: nothing is lost and nothing is counted twice, while entities come and go, recover, and move',
    async (replacement) => {
      await play(
        async (scene) => {
          const passivation = { activeEntityLimit: 6, replacement }
          const init = (node: ShardingNode): void => hostCounters(node, { passivation })
          const a = await scene.start('a', { sharding: { numberOfShards: 3 }, init })
          const b = await scene.start('b', { sharding: { numberOfShards: 3 }, init })
          const ids = Array.from({ length: 24 }, (_, index) => `x${index}`)
          for (let round = 0; round < 10; round++) {
            for (const id of ids) add(round % 2 === 0 ? a : b, id, 1)
            await scene.simulation.run({ for: '20ms' })
          }
          for (const id of ids) {
            // Behind all that b has sent, then behind all that a has.
            await scene.settle(countOf(b, id))
            expect((await scene.settle(countOf(a, id))).count).toBe(10)
          }
          await scene.simulation.run({ for: '1s' })
          for (const node of [a, b]) {
            const { shards } = node.sharding.regionState('Counter')
            const active = shards.reduce((sum, { entityIds }) => sum + entityIds.length, 0)
            expect(active).toBeLessThanOrEqual(6)
          }
          expect([...a.lost, ...b.lost]).toEqual([])
        },
        { seeds: 20 },
      )
    },
  )
})
