import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors, type LostMessage } from '../../src/actor/index.ts'
import { CoordinatorStopped, EntityTypeKey } from '../../src/sharding/index.ts'
import { NoSilentLoss, SenderOrder } from '../../src/simulation/internals.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

type ToNotebook =
  | { readonly type: 'Where'; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Note'; readonly sender: string; readonly number: number }
  | { readonly type: 'Close' }

const notebooks = new EntityTypeKey<ToNotebook>('Notebook')
const empty = new EntityTypeKey<ToNotebook>('Empty')
const ids = Array.from({ length: 100 }, (_, index) => `${index}`)

/** Entities that end only when they are told `Close`, and take some time for it. */
function hostNotebooks(
  { sharding, name }: ShardingNode,
  noted: (id: string, message: ToNotebook) => void = () => undefined,
): void {
  sharding.init<ToNotebook>({
    key: notebooks,
    stopMessage: { type: 'Close' },
    settings: { numberOfShards: 10 },
    behavior: ({ entityId }) =>
      Behaviors.receive<ToNotebook>((context, message) => {
        if (message.type === 'Where') message.replyTo.tell(name)
        if (message.type === 'Note') noted(entityId, message)
        if (message.type !== 'Close') return Behaviors.same
        noted(entityId, message)
        context.timers.startSingle('end', '50ms', { type: 'Close' })
        return Behaviors.receiveMessage<ToNotebook>((last) => {
          if (last.type === 'Close') return Behaviors.stopped()
          if (last.type === 'Note') noted(entityId, last)
          return Behaviors.same
        })
      }),
  })
  sharding.init({ key: empty, behavior: () => Behaviors.ignore })
}

function whereAll(scene: Scene, { sharding }: ShardingNode): Promise<string[]> {
  return scene.settle(
    Promise.all(
      ids.map((id) =>
        sharding
          .entityRefFor(notebooks, id)
          .ask<string>((replyTo) => ({ type: 'Where', replyTo }), { timeout: '20s' }),
      ),
    ),
  )
}

describe('SH-013 and SH-044 a node leaves', () => {
  test.each([
    ['b', 'a'],
    ['a', 'b'],
  ])('%s hands its entities over to %s and ends soon', async (leaving, staying) => {
    await play(
      async (scene) => {
        const closed: string[] = []
        const init = (node: ShardingNode): void =>
          hostNotebooks(node, (id, { type }) => {
            if (type === 'Close') closed.push(`${id} on ${node.name}`)
          })
        const nodes = { a: await scene.start('a', { init }), b: await scene.start('b', { init }) }
        const goes = nodes[leaving as 'a' | 'b']
        const stays = nodes[staying as 'a' | 'b']
        const before = await whereAll(scene, stays)
        expect(new Set(before)).toEqual(new Set(['a', 'b']))
        const ends: string[] = []
        const region = goes.system.whenStopped(goes.sharding.regionOf('Notebook'))
        void region.then(() => ends.push('region'))
        goes.system.eventStream.subscribe(CoordinatorStopped, ({ entityType }) => {
          if (entityType === 'Notebook') ends.push('coordinator')
        })
        const begunMs = scene.simulation.now
        await scene.settle(goes.system.terminate())
        expect(ends).toEqual(leaving === 'a' ? ['region', 'coordinator'] : ['region'])
        expect(scene.simulation.now - begunMs).toBeLessThan(9_000)
        // Each of them was asked to stop, once, in the words of its type.
        const asked = ids.filter((_, index) => before[index] === leaving)
        expect(closed.sort()).toEqual(asked.map((id) => `${id} on ${leaving}`).sort())
        expect(new Set(await whereAll(scene, stays))).toEqual(new Set([staying]))
      },
      { seeds: 8 },
    )
  })

  test('a region without shards stops at once', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostNotebooks(starting) })
      const region = node.sharding.regionOf('Empty')
      const begunMs = scene.simulation.now
      await scene.settle(node.sharding.gracefulShutdown('Empty'))
      await scene.settle(node.system.whenStopped(region))
      expect(scene.simulation.now - begunMs).toBeLessThan(5_000)
    })
  })

  test('the last node does not wait for homes that nobody can give', async () => {
    await play(
      async (scene) => {
        const node = await scene.start('a', { init: (starting) => hostNotebooks(starting) })
        await whereAll(scene, node)
        const fresh = node.sharding.entityRefFor(empty, 'never-asked-before')
        const begunMs = scene.simulation.now
        const ended = node.system.terminate()
        const asked = fresh.ask<string>((replyTo) => ({ type: 'Where', replyTo }))
        const error: unknown = await scene.settle(asked.catch((thrown: unknown) => thrown))
        expect(error).toMatchObject({ code: 'ENTITY_MESSAGE_DROPPED', reason: 'region-stopped' })
        const failedMs = scene.simulation.now - begunMs
        await scene.settle(ended)
        // Its entities take 50 ms to close.
        expect(scene.simulation.now - begunMs).toBeLessThan(3_000)
        expect(failedMs).toBeLessThan(1_000)
      },
      { seeds: 10 },
    )
  })

  test('both nodes may leave at once while messages wait', async () => {
    await play(
      async (scene) => {
        const init = (node: ShardingNode): void => hostNotebooks(node)
        const [a, b] = [await scene.start('a', { init }), await scene.start('b', { init })]
        await whereAll(scene, a)
        const begunMs = scene.simulation.now
        const ended = Promise.all([a, b].map(({ system }) => system.terminate()))
        for (const { sharding } of [a, b]) {
          for (const id of ids) sharding.entityRefFor(empty, id).tell({ type: 'Close' })
        }
        await scene.settle(ended)
        expect(scene.simulation.now - begunMs).toBeLessThan(8_000)
      },
      { seeds: 10 },
    )
  })

  test('loses nothing and keeps the order of what is sent meanwhile', async () => {
    await play(
      async (scene) => {
        const order = new SenderOrder(scene.simulation)
        const losses = new NoSilentLoss(scene.simulation)
        const init = (node: ShardingNode): void =>
          hostNotebooks(node, (id, message) => {
            if (message.type !== 'Note') return
            order.received(message.sender, id, message.number)
            losses.delivered(`${message.sender} ${id} ${message.number}`)
          })
        const [a, b, c] = [
          await scene.start('a', { init }),
          await scene.start('b', { init }),
          await scene.start('c', { init }),
        ]
        await whereAll(scene, a)
        let number = 0
        const send = (): void => {
          number++
          for (const { sharding, name } of number > 60 ? [a, c] : [a, b, c]) {
            for (const id of ids.slice(0, 20)) {
              losses.sent(`${name} ${id} ${number}`, name)
              sharding.entityRefFor(notebooks, id).tell({ type: 'Note', sender: name, number })
            }
          }
          if (number < 200) scene.simulation.after('5ms', send)
        }
        send()
        scene.simulation.after('350ms', () => void b.system.terminate())
        await scene.settle(b.system.whenTerminated)
        await scene.simulation.runUntil(() => number === 200)
        await scene.simulation.run({ for: '10s' })
        losses.conclude()
        const isNote = ({ message }: LostMessage) => (message as ToNotebook).type === 'Note'
        expect([...a.lost, ...b.lost, ...c.lost].filter(isNote)).toEqual([])
        expect(losses.summary.delivered).toBe(losses.summary.sent)
      },
      { seeds: 5 },
    )
  })
})
