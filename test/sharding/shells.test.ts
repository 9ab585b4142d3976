import { describe, expect, test } from 'vitest'
import { type ActorRef, ActorSystem, Behaviors } from '../../src/actor/index.ts'
import { Remoting } from '../../src/remote/internals.ts'
import {
  EntityMessageDropped,
  EntityStarted,
  EntityStopped,
  EntityTypeKey,
  type ShardAllocationStrategy,
} from '../../src/sharding/index.ts'
import { add, answerOf, ByNumber, counterOn, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

interface Line {
  readonly type: 'Line'
  readonly text: string
  readonly replyTo?: ActorRef<string>
}

const pages = new EntityTypeKey<Line>('Page')

/** Keeps its lines, and answers with all of them. */
function hostPages({ sharding }: ShardingNode, failOn = '!'): void {
  sharding.init<Line>({
    key: pages,
    behavior: ({ entityId }) => {
      if (entityId === 'unmakeable') throw new Error('the factory fails')
      const lines: string[] = []
      return ({ text, replyTo }) => {
        if (text === failOn) throw new Error('fails on purpose')
        lines.push(text)
        replyTo?.tell(lines.join(' '))
      }
    },
  })
}

function readPage(node: ShardingNode, id: string): Promise<string> {
  const ref = node.sharding.entityRefFor(pages, id)
  return ref.ask<string>((replyTo) => ({ type: 'Line', text: '.', replyTo }))
}

describe('the region', () => {
  test('lets nothing overtake, also when a listener sends from inside a step', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostPages(starting) })
      const tell = (id: string, text: string): void =>
        node.sharding.entityRefFor(pages, id).tell({ type: 'Line', text })
      node.system.eventStream.subscribe(EntityStarted, ({ entityId }) => tell(entityId, 'heard'))
      for (const id of ['x', 'y', 'z']) {
        for (const text of ['one', 'two', 'three']) tell(id, text)
      }
      const texts = await scene.settle(Promise.all(['x', 'y', 'z'].map((id) => readPage(node, id))))
      expect(texts).toEqual(['x', 'y', 'z'].map(() => 'one two three .'))
      tell('q', 'first')
      await scene.simulation.run({ for: '1s' })
      expect(await scene.settle(readPage(node, 'q'))).toBe('first heard .')
    })
  })

  test('finds an entity gone when somebody hears of its end and sends at once', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostPages(starting) })
      await scene.settle(readPage(node, 'x'))
      node.system.eventStream.subscribe(EntityStopped, ({ entityId }) => {
        node.sharding.entityRefFor(pages, entityId).tell({ type: 'Line', text: 'again' })
      })
      node.sharding.entityRefFor(pages, 'x').tell({ type: 'Line', text: '!' })
      await scene.simulation.run({ for: '1s' })
      expect(await scene.settle(readPage(node, 'x'))).toBe('again .')
      expect(node.lost).toEqual([])
    })
  })

  test('fails the entity, and nothing else, when its behavior cannot be made', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostPages(starting) })
      const ref = node.sharding.entityRefFor(pages, 'unmakeable')
      const asked = ref.ask<string>((replyTo) => ({ type: 'Line', text: 'a', replyTo }), {
        timeout: '1s',
      })
      const error: unknown = await scene.settle(asked.catch((thrown: unknown) => thrown))
      expect(error).toBeInstanceOf(EntityMessageDropped)
      expect(await scene.settle(readPage(node, 'x'))).toBe('.')
      expect(node.lost.map(String)).toEqual([expect.stringContaining('terminated-while-queued')])
    })
  })

  test('tells whoever asked when it has no room for the message', async () => {
    await play(async (scene) => {
      const asks: Promise<unknown>[] = []
      await scene.start('a', {
        sharding: { bufferedMessagesMax: 2 },
        init: (starting) => {
          hostPages(starting)
          for (let index = 0; index < 3; index++) {
            asks.push(readPage(starting, 'x').catch((error: unknown) => error))
          }
        },
      })
      const [first, second, third] = await scene.settle(Promise.all(asks))
      expect([first, second]).toEqual(['.', '. .'])
      expect(third).toBeInstanceOf(EntityMessageDropped)
    })
  })

  test('drops with a reason when it has stopped', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostPages(starting) })
      await scene.settle(readPage(node, 'x'))
      await scene.settle(node.sharding.gracefulShutdown('Page'))
      node.sharding.entityRefFor(pages, 'x').tell({ type: 'Line', text: 'late' })
      expect(node.lost.map(String)).toEqual([expect.stringContaining('region-stopped')])
    })
  })
})

describe('the coordinator', () => {
  test('is succeeded when it cannot store, and no home is forgotten', async () => {
    await play(async (scene) => {
      const init = (node: ShardingNode): void => hostCounters(node)
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      add(a, 'x', 3)
      const before = await scene.settle(countOf(a, 'x'))
      scene.simulation.store.setFaults({ failsBefore: 0.5, failsUnknown: 0.2 })
      for (let index = 0; index < 20; index++) counterOn(b, `id-${index}`).tell({ type: 'Rest' })
      await scene.simulation.run({ for: '5s' })
      scene.simulation.store.setFaults({})
      for (let index = 0; index < 20; index++) {
        await scene.settle(answerOf(b, `id-${index}`))
      }
      expect((await scene.settle(answerOf(b, 'x'))).node).toBe(before.node)
    })
  })

  test('gives homes to more shards at once than a journal stores at once', async () => {
    await play(
      async (scene) => {
        const numberOfShards = 3_000
        const init = (starting: ShardingNode): void => {
          hostCounters(starting, {
            extractor: new ByNumber(numberOfShards),
            settings: { numberOfShards },
          })
          for (let index = 0; index < numberOfShards; index++) add(starting, `${index}`, 1)
        }
        const node = await scene.start('a', { init })
        expect((await scene.settle(countOf(node, '2999'))).count).toBe(1)
        const homes = await scene.settle(node.sharding.shardsByRegion('Counter'))
        expect(homes.get(node.id)?.length).toBe(numberOfShards)
        expect(node.lost).toEqual([])
      },
      { seeds: 1 },
    )
  })

  test('asks the default strategy when the chosen one does not answer', async () => {
    await play(async (scene) => {
      const never: ShardAllocationStrategy = {
        allocateShard: () => new Promise(() => undefined),
        rebalance: () => new Promise(() => undefined),
      }
      const init = (node: ShardingNode): void =>
        hostCounters(node, { allocationStrategy: never, settings: { strategyTimeoutMs: 1_000 } })
      const node = await scene.start('a', { init })
      const begunMs = scene.simulation.now
      await scene.settle(countOf(node, 'x'))
      expect(scene.simulation.now - begunMs).toBeGreaterThanOrEqual(1_000)
      expect(scene.simulation.now - begunMs).toBeLessThan(3_000)
    })
  })
})

describe('what a stranger sends', () => {
  test('never throws and never harms', async () => {
    await play(async (scene) => {
      const node = await scene.start('a', { init: (starting) => hostCounters(starting) })
      add(node, 'x', 1)
      await scene.settle(countOf(node, 'x'))
      const stranger = await strangerIn(scene)
      const home = { shard: 1, home: 'x', epoch: 1, term: 9, turn: 1 }
      const junk: unknown[] = [
        ...['text', 7, null, [], {}, ['sharding.Register@1'], ['sharding.Nonsense@1', {}]],
        ['sharding.Register@2', { type: 'Register', region: node.id, isProxy: false }],
        ['sharding.HostShard@1', { type: 'HostShard', ...home }],
        ['sharding.ShardHome@1', { type: 'ShardHome', ...home, home: node.id, shard: 1e9 }],
        ['sharding.Flush@1', { type: 'Flush', shard: -1, stamp: 0 }],
        ['sharding.Flush@1', { type: 'Flush', shard: 5, stamp: 2 ** 60 }],
        ['sharding.Returned@1', { type: 'Returned', shard: 5, stamp: 1, parcels: [{}] }],
        ['sharding.FlushAck@1', { type: 'FlushAck', shard: 5, stamp: 1 }],
      ]
      const paths = [
        '',
        '/coordinator',
        '/nobody',
        '/1/x',
        '/x/x',
        '/1/%',
        '/1',
        '/1/a/b',
        '/9e9/x',
      ]
      for (const root of ['/system/sharding/Counter', '/system/shards/Counter']) {
        for (const path of paths) {
          const ref = stranger.refAt(node.remoting.address, `${root}${path}`)
          for (const message of junk) ref.tell(message)
        }
      }
      await scene.simulation.run({ for: '5s' })
      expect((await scene.settle(answerOf(node, 'y'))).node).toBe(node.id)
      expect(scene.simulation.isAlive('a')).toBe(true)
    })
  })
})

async function strangerIn({ simulation }: Scene): Promise<Remoting> {
  const { environment, transport } = simulation.node('stranger')
  const system = new ActorSystem('shop', { environment })
  system.spawn(Behaviors.ignore)
  const bind = { host: 'stranger', port: 1 }
  return simulation.settle(
    Remoting.start({ system, transport, clusterName: 'test', bind, insecure: true }),
  )
}
