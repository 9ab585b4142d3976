import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import {
  EntityMessageDropped,
  EntityTypeKey,
  type ShardingEnvelope,
} from '../../src/sharding/index.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

interface Ring {
  readonly type: 'Ring'
  readonly replyTo: ActorRef<string>
}

interface Rest {
  readonly type: 'Rest'
}

const bells = new EntityTypeKey<Ring | Rest>('Bell')
const settings = { numberOfShards: 1 }

/** A bell on `b` that answers the second time it hears of something, and what it has heard; `a` only asks. */
async function bellOnB(scene: Scene, isByRegion = false) {
  const heard: Ring[] = []
  const b = await scene.start('b', {
    roles: ['host'],
    init: ({ sharding }) =>
      void sharding.init<Ring | Rest>({
        ...{ key: bells, role: 'host', settings },
        behavior: () => (ring) => {
          if (ring.type === 'Ring' && heard.push(ring) > 1) ring.replyTo.tell('ding')
        },
      }),
  })
  const a = await scene.start('a', {
    init: ({ sharding }) =>
      void sharding.startProxy({ entityType: 'Bell', role: 'host', settings }),
  })
  const timeout = { timeout: '30s' } as const
  const bell = a.sharding.entityRefFor(bells, 'x')
  const region = a.sharding.regionOf('Bell') as ActorRef<ShardingEnvelope<Ring>>
  const ring = (replyTo: ActorRef<string>): Ring => ({ type: 'Ring', replyTo })
  const asked = outcome(
    isByRegion
      ? region.ask<string>((replyTo) => ({ entityId: 'x', message: ring(replyTo) }), timeout)
      : bell.ask<string>(ring, timeout),
  )
  await scene.simulation.runUntil(() => heard.length === 1, { what: 'b has heard the bell' })
  return { a, b, asked, message: heard[0]! }
}

/** `b` sends the message back, as a former home does. The first route of `a` has the stamp 1. */
function giveBack(a: ShardingNode, b: ShardingNode, message: Ring, stamp: number): void {
  const parcels = [{ entityId: 'x', message }]
  const returned = { type: 'Returned', shard: 0, stamp, parcels }
  b.remoting.refAt(a.id, '/system/shards/Bell').tell(['sharding.Returned@1', returned])
}

const outcome = (asked: Promise<unknown>): Promise<unknown> =>
  asked.catch((error: unknown) => error)

describe('a question that a former home sends back', () => {
  test('goes to the next home and is answered from there', async () => {
    await play(async (scene) => {
      const { a, b, asked, message } = await bellOnB(scene)
      giveBack(a, b, message, 1)
      expect(await scene.settle(asked)).toBe('ding')
      expect([a.lost, b.lost]).toEqual([[], []])
    })
  })

  test.each([
    ['the entity', false],
    ['the region', true],
  ])('of %s fails at once, with the reason, when it is dropped', async (_, isByRegion) => {
    await play(async (scene) => {
      const { a, b, asked, message } = await bellOnB(scene, isByRegion)
      const beganMs = scene.simulation.now
      giveBack(a, b, message, 7)
      const error = await scene.settle(asked)
      expect(error).toBeInstanceOf(EntityMessageDropped)
      expect(error).toMatchObject({ entityId: 'x', reason: 'overtaken' })
      expect(scene.simulation.now - beganMs).toBeLessThan(1_000)
      expect(a.lost.map(String)).toEqual([expect.stringContaining('overtaken')])
    })
  })

  test('leaves a question alone that was asked of somebody else', async () => {
    await play(async (scene) => {
      const { a, b, asked, message } = await bellOnB(scene)
      const parcels = [{ entityId: 'y', message }]
      const returned = { type: 'Returned', shard: 0, stamp: 7, parcels }
      const region = b.remoting.refAt(a.id, '/system/shards/Bell')
      region.tell(['sharding.Returned@1', returned])
      await scene.simulation.runUntil(() => a.lost.length === 1, { what: 'a has dropped it' })
      message.replyTo.tell('from elsewhere')
      expect(await scene.settle(asked)).toBe('from elsewhere')
    })
  })
})

/** A bell on `b` that ends itself when it is first rung, and takes its time; one message may wait for the next. */
async function restingBellOnB(scene: Scene) {
  const rest = { isResting: false }
  const b = await scene.start('b', {
    roles: ['host'],
    init: ({ sharding }) =>
      void sharding.init<Ring | Rest>({
        ...{ key: bells, role: 'host', stopMessage: { type: 'Rest' } },
        settings: { ...settings, entityBufferedMessagesMax: 1 },
        behavior: (entity) =>
          Behaviors.receive<Ring | Rest>(({ timers }, message) => {
            if (message.type === 'Ring')
              return rest.isResting ? message.replyTo.tell('ding') : entity.passivate()
            rest.isResting = true
            timers.startSingle('end', '5s', { type: 'Rest' })
            return Behaviors.receiveMessage<Ring | Rest>(() => Behaviors.stopped())
          }),
      }),
  })
  const a = await scene.start('a', {
    init: ({ sharding }) =>
      void sharding.startProxy({ entityType: 'Bell', role: 'host', settings }),
  })
  return { a, b, rest }
}

describe('a question whose message is dropped by the node it came to', () => {
  test('fails at once, with the reason', async () => {
    await play(async (scene) => {
      const { a, b, rest } = await restingBellOnB(scene)
      const bell = a.sharding.entityRefFor(bells, 'x')
      const ring = (): Promise<unknown> =>
        outcome(bell.ask<string>((replyTo) => ({ type: 'Ring', replyTo }), { timeout: '30s' }))
      void ring()
      await scene.simulation.runUntil(() => rest.isResting, { what: 'the bell rests' })
      const beganMs = scene.simulation.now
      const first = ring()
      const second = await scene.settle(ring())
      expect(second).toBeInstanceOf(EntityMessageDropped)
      expect(second).toMatchObject({ entityId: 'x', reason: 'entity-buffer-full' })
      expect(scene.simulation.now - beganMs).toBeLessThan(1_000)
      expect(await scene.settle(first)).toBe('ding')
      expect(b.lost.map(String)).toEqual([expect.stringContaining('entity-buffer-full')])
      expect(a.lost).toEqual([])
    })
  })
})
