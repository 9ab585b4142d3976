import { describe, expect, test } from 'vitest'
import { type ActorRef, type Behavior, Behaviors } from '../../src/actor/index.ts'
import { EntityStopped, EntityTypeKey, type EntityRef } from '../../src/sharding/index.ts'
import { add, counter, counterOn, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

interface Ping {
  readonly type: 'Ping'
  readonly replyTo: ActorRef<number>
}

type ToSleeper = Ping | { readonly type: 'Rest' } | { readonly type: 'StopPlease' }

const sleepers = new EntityTypeKey<ToSleeper>('Sleeper')

/** Answers with the number of its life; notes what it hears of its end. */
function hostSleepers(
  { sharding }: ShardingNode,
  heard: string[],
  options: { readonly stopMessage?: ToSleeper; readonly stopsItself?: boolean } = {},
): void {
  let lives = 0
  const { stopsItself, ...rest } = options
  sharding.init<ToSleeper>({
    key: sleepers,
    behavior: (entity) => {
      const life = ++lives
      return Behaviors.receive<ToSleeper>((context, message) => {
        if (message.type === 'Ping') message.replyTo.tell(life)
        if (message.type === 'Rest') entity.shard.tell({ type: 'Passivate', entity: context.self })
        if (message.type === 'StopPlease') heard.push('StopPlease')
        const isOver = message.type === 'StopPlease' || (message.type === 'Rest' && stopsItself)
        return isOver ? Behaviors.stopped() : Behaviors.same
      }).receiveSignal({ PostStop: () => void heard.push('PostStop') })
    },
    ...rest,
  })
}

const ping = (ref: EntityRef<ToSleeper>): Promise<number> =>
  ref.ask<number>((replyTo) => ({ type: 'Ping', replyTo }))

describe('SH-003 passivation', () => {
  test('messages that come meanwhile reach the next life, in order', async () => {
    await play(
      async (scene) => {
        const a = await scene.start('a', { init: (node) => hostCounters(node) })
        const b = await scene.start('b', { init: (node) => hostCounters(node) })
        for (const id of ['x', 'y', 'z']) {
          add(a, id, 1, 1)
          const before = await scene.settle(countOf(a, id))
          counterOn(a, id).tell({ type: 'Rest' })
          add(b, id, 5)
          add(a, id, 1)
          const after = await scene.settle(countOf(a, id))
          expect(after.count).toBeGreaterThanOrEqual(3)
          expect((await scene.settle(countOf(b, id))).count).toBe(8)
          expect(before.node).toBe(after.node)
        }
        expect([...a.lost, ...b.lost]).toEqual([])
      },
      { seeds: 20 },
    )
  })

  test('wait for the end of an entity that takes 500 ms to stop', async () => {
    await play(
      async (scene) => {
        const lives = { begun: 0, ended: 0 }
        const ending = async (): Promise<void> => {
          await new Promise<void>((resolve) => scene.simulation.after('500ms', resolve))
          lives.ended++
        }
        const init = (node: ShardingNode): void =>
          hostCounters(node, {
            behavior: (entity) => {
              expect(lives.ended).toBe(lives.begun)
              return counter(node, entity, ++lives.begun, ending)
            },
          })
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        add(a, 'x', 1, 1)
        expect(await scene.settle(countOf(b, 'x'))).toMatchObject({ count: 2, life: 1 })
        const restedMs = scene.simulation.now
        counterOn(a, 'x').tell({ type: 'Rest' })
        await scene.simulation.run({ for: '200ms' })
        expect(lives).toEqual({ begun: 1, ended: 0 })
        add(a, 'x', 1)
        expect(await scene.settle(countOf(a, 'x'))).toMatchObject({ count: 3, life: 2 })
        expect(scene.simulation.now - restedMs).toBeGreaterThanOrEqual(500)
        expect(lives).toEqual({ begun: 2, ended: 1 })
        expect([...a.lost, ...b.lost]).toEqual([])
      },
      { seeds: 10 },
    )
  })
})

describe('SH-012 the stop message', () => {
  test('comes to a resting entity before its end', async () => {
    await play(async (scene) => {
      const heard: string[] = []
      const stopMessage = { type: 'StopPlease' } as const
      const node = await scene.start('a', {
        init: (starting) => hostSleepers(starting, heard, { stopMessage }),
      })
      const ref = node.sharding.entityRefFor(sleepers, 'x')
      expect(await scene.settle(ping(ref))).toBe(1)
      ref.tell({ type: 'Rest' })
      await scene.simulation.runUntil(() => heard.length === 2)
      expect(heard).toEqual(['StopPlease', 'PostStop'])
      expect(await scene.settle(ping(ref))).toBe(2)
    })
  })

  test('is not needed: without one the entity just ends', async () => {
    await play(async (scene) => {
      const heard: string[] = []
      const node = await scene.start('a', { init: (starting) => hostSleepers(starting, heard) })
      const ref = node.sharding.entityRefFor(sleepers, 'x')
      await scene.settle(ping(ref))
      ref.tell({ type: 'Rest' })
      await scene.simulation.runUntil(() => heard.length > 0)
      expect(heard).toEqual(['PostStop'])
      expect(await scene.settle(ping(ref))).toBe(2)
    })
  })
})

describe('SH-018 and SH-019 an entity that stops by itself', () => {
  test('is gone alone; the others of its shard live on', async () => {
    await play(async (scene) => {
      const heard: string[] = []
      const node = await scene.start('a', {
        sharding: { numberOfShards: 1 },
        init: (starting) => hostSleepers(starting, heard),
      })
      const refs = ['1', '2'].map((id) => node.sharding.entityRefFor(sleepers, id))
      const lives = await scene.settle(Promise.all(refs.map(ping)))
      refs[0]?.tell({ type: 'StopPlease' })
      await scene.simulation.runUntil(() => heard.includes('PostStop'))
      await scene.simulation.run({ for: '400ms' })
      expect(node.sharding.regionState('Sleeper').shards).toMatchObject([
        { shard: 0, entities: 1, entityIds: ['2'] },
      ])
      expect(await scene.settle(ping(refs[1]!))).toBe(lives[1])
    })
  })

  test('wakes again when it asked for rest and did not wait for it', async () => {
    await play(
      async (scene) => {
        const node = await scene.start('a', {
          init: (starting) => hostSleepers(starting, [], { stopsItself: true }),
        })
        const ref = node.sharding.entityRefFor(sleepers, 'x')
        expect(await scene.settle(ping(ref))).toBe(1)
        let stops = 0
        node.system.eventStream.subscribe(EntityStopped, () => stops++)
        ref.tell({ type: 'Rest' })
        await scene.simulation.runUntil(() => stops === 1)
        expect(await scene.settle(ping(ref))).toBe(2)
      },
      { seeds: 50 },
    )
  })
})

/** Starts its child anew one second after it stopped, until it is told to stop itself. */
function backoffOnStop(child: (self: ActorRef<ToSleeper>) => Behavior<ToSleeper>) {
  return Behaviors.setup<ToSleeper | Again>((context) => {
    const start = (): ActorRef<ToSleeper> => {
      const started = context.spawn(child(context.self))
      context.watch(started)
      return started
    }
    let current: ActorRef<ToSleeper> | undefined = start()
    let isLast = false
    return Behaviors.receiveMessage<ToSleeper | Again>((message) => {
      if (message.type === 'Again') current = start()
      else if (message.type === 'StopPlease') isLast = true
      else current?.tell(message)
      return isLast && current === undefined ? Behaviors.stopped() : Behaviors.same
    }).receiveSignal({
      Terminated: () => {
        current = undefined
        if (isLast) return Behaviors.stopped()
        context.timers.startSingle('again', '1s', { type: 'Again' })
        return Behaviors.same
      },
    })
  })
}

interface Again {
  readonly type: 'Again'
}

test('SH-019 an entity under a back-off supervisor wakes again after a rest and an early stop', async () => {
  await play(
    async (scene) => {
      const init = ({ sharding }: ShardingNode): void => {
        let lives = 0
        sharding.init<ToSleeper | Again>({
          key: new EntityTypeKey<ToSleeper | Again>(sleepers.name),
          stopMessage: { type: 'StopPlease' },
          behavior: (entity) => {
            const life = ++lives
            return backoffOnStop((self) =>
              Behaviors.receiveMessage<ToSleeper>((message) => {
                if (message.type === 'Ping') message.replyTo.tell(life)
                if (message.type !== 'Rest') return Behaviors.same
                entity.shard.tell({ type: 'Passivate', entity: self })
                return Behaviors.stopped()
              }),
            )
          },
        })
      }
      const node = await scene.start('a', { init })
      const ref = node.sharding.entityRefFor(sleepers, 'x')
      expect(await scene.settle(ping(ref))).toBe(1)
      let stops = 0
      node.system.eventStream.subscribe(EntityStopped, () => stops++)
      ref.tell({ type: 'Rest' })
      await scene.simulation.runUntil(() => stops === 1, { within: '20s' })
      expect(await scene.settle(ping(ref))).toBe(2)
    },
    { seeds: 50 },
  )
})

describe('SH-054 idle entities', () => {
  /** A node whose entities rest after a second; `say` is a message and when it was sent, `stopOf` the next end. */
  async function idleStage(scene: Scene) {
    const node = await scene.start('a', {
      sharding: { passivateIdleAfterMs: 1_000 },
      init: (starting) => hostSleepers(starting, []),
    })
    const stops: { readonly id: string; readonly atMs: number }[] = []
    node.system.eventStream.subscribe(EntityStopped, ({ entityId }) =>
      stops.push({ id: entityId, atMs: scene.simulation.now }),
    )
    const say = async (id: string): Promise<{ life: number; sentMs: number }> => {
      const sentMs = scene.simulation.now
      const life = await scene.settle(ping(node.sharding.entityRefFor(sleepers, id)))
      return { life, sentMs }
    }
    const stopOf = async (id: string): Promise<number> => {
      const find = () => stops.find((stop) => stop.id === id)
      await scene.simulation.runUntil(() => find() !== undefined, {
        ...{ what: `the end of ${id}`, within: '2s' },
      })
      return find()!.atMs
    }
    return { stops, say, stopOf }
  }

  test('are stopped more than the idle time after their last message; busy ones are not; they wake again', async () => {
    await play(
      async (scene) => {
        const { stops, say, stopOf } = await idleStage(scene)
        const pause = () => scene.simulation.run({ for: '500ms' })
        const a = await say('1')
        expect(a.life).toBe(1)
        let last = await say('2')
        for (const _ of ['C', 'D', 'E']) {
          await pause()
          last = await say('2')
          expect(last.life).toBe(2)
        }
        // Looked for every half of the idle time: late by that at most, and by a turn or two.
        for (const [id, { sentMs }] of [
          ['1', a],
          ['2', last],
        ] as const) {
          const idleMs = (await stopOf(id)) - sentMs
          expect(idleMs).toBeGreaterThan(1_000)
          expect(idleMs).toBeLessThan(1_600)
        }
        expect(stops.map(({ id }) => id)).toEqual(['1', '2'])

        stops.length = 0
        const [x, y, z] = [await say('1'), await say('2'), await say('1')]
        expect([x, y, z].map(({ life }) => life)).toEqual([3, 4, 3])
        expect((await stopOf('1')) - z.sentMs).toBeGreaterThan(1_000)
        expect((await stopOf('2')) - y.sentMs).toBeGreaterThan(1_000)
      },
      { seeds: 20 },
    )
  })

  test('live on when idleness does not count', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', {
        sharding: { passivateIdleAfterMs: Infinity },
        init: (starting) => hostSleepers(starting, []),
      })
      const ref = node.sharding.entityRefFor(sleepers, '1')
      await scene.settle(ping(ref))
      await scene.simulation.run({ for: '10m' })
      expect(await scene.settle(ping(ref))).toBe(1)
    })
  })
})
