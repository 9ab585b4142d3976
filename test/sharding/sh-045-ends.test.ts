import { describe, expect, test } from 'vitest'
import { type ActorRef, Behaviors } from '../../src/actor/index.ts'
import { defineEntity } from '../../src/index.ts'
import {
  EntityTypeKey,
  GracefulShutdown,
  HandOverIncomplete,
  type RegionRequest,
} from '../../src/sharding/index.ts'
import { Simulation, startSimulatedNode } from '../../src/simulation/index.ts'
import { answerOf, ByNumber, countOf, counterOn, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

const ten = {
  extractor: new ByNumber(10),
  settings: { numberOfShards: 10, rebalanceIntervalMs: 3_600_000 },
}
const init = (node: ShardingNode): void => hostCounters(node, ten)
const ids = Array.from({ length: 10 }, (_, index) => `${index}`)

async function start(scene: Scene, ...names: readonly string[]): Promise<ShardingNode[]> {
  const nodes: ShardingNode[] = []
  for (const name of names) nodes.push(await scene.start(name, { init }))
  return nodes
}

/** Where each counter answers. */
async function homesOf(scene: Scene, node: ShardingNode): Promise<string[]> {
  const counted = await scene.settle(Promise.all(ids.map((id) => answerOf(node, id))))
  return counted.map((each) => each.node)
}

interface ToStubborn {
  readonly type: 'Begin' | 'End'
}

const stubborn = new EntityTypeKey<ToStubborn>('Stubborn')

/** Entities that swallow everything, their stop message too. */
function hostStubborn({ sharding }: ShardingNode): void {
  sharding.init<ToStubborn>({
    key: stubborn,
    stopMessage: { type: 'End' },
    settings: { numberOfShards: 4, stopGraceMs: 5, stopTimeoutMs: 10 },
    behavior: () => Behaviors.receiveMessage(() => Behaviors.same),
  })
}

describe('SH-014 an entity that ignores its stop message', () => {
  test('is stopped by force after its time, and its shard moves all the same', async () => {
    await play(async (scene) => {
      const a = await scene.start('a', { init: hostStubborn })
      const b = await scene.start('b', { init: hostStubborn })
      for (const id of ids) b.sharding.entityRefFor(stubborn, id).tell({ type: 'Begin' })
      const living = ({ sharding }: ShardingNode) => sharding.regionState('Stubborn').entities
      await scene.simulation.runUntil(() => living(a) + living(b) === ids.length)
      expect(living(b)).toBeGreaterThan(0)
      const shardsOf = ({ sharding }: ShardingNode) =>
        sharding.regionState('Stubborn').shards.map(({ shard }) => shard)
      const all = new Set([...shardsOf(a), ...shardsOf(b)])
      const left: HandOverIncomplete[] = []
      b.system.eventStream.subscribe(HandOverIncomplete, (event) => void left.push(event))
      const begunMs = scene.simulation.now
      await scene.settle(b.sharding.gracefulShutdown('Stubborn'))
      expect(scene.simulation.now - begunMs).toBeLessThan(1_000)
      expect(living(b)).toBe(0)
      // It was handed over: nothing was left behind.
      expect(left).toEqual([])
      await scene.simulation.runUntil(() => shardsOf(a).length === all.size)
      expect(new Set(shardsOf(a))).toEqual(all)
    })
  })
})

describe('SH-044 a region is told to stop', () => {
  test('by a message: it hands over, terminates, and others serve its entities', async () => {
    await play(async (scene) => {
      const [a, b] = (await start(scene, 'a', 'b')) as [ShardingNode, ShardingNode]
      expect(new Set(await homesOf(scene, a))).toEqual(new Set([a.id, b.id]))
      const region = b.sharding.regionOf('Counter') as ActorRef<RegionRequest>
      const stopped = b.system.whenStopped(region)
      region.tell(new GracefulShutdown())
      await scene.settle(stopped)
      expect(new Set(await homesOf(scene, a))).toEqual(new Set([a.id]))
      expect([...a.lost, ...b.lost].map(String)).toEqual([])
    })
  })

  test('and tells what it could not hand over in time, by shard', async () => {
    await play(async (scene) => {
      const slow = new EntityTypeKey<ToStubborn>('Slow')
      const hostSlow = ({ sharding }: ShardingNode): void =>
        void sharding.init<ToStubborn>({
          key: slow,
          stopMessage: { type: 'End' },
          settings: { numberOfShards: 4, gracefulShutdownTimeoutMs: 500 },
          behavior: () => Behaviors.receiveMessage(() => Behaviors.same),
        })
      const a = await scene.start('a', { init: hostSlow })
      const b = await scene.start('b', { init: hostSlow })
      for (const id of ids) a.sharding.entityRefFor(slow, id).tell({ type: 'Begin' })
      const stateOf = ({ sharding }: ShardingNode) => sharding.regionState('Slow')
      await scene.simulation.runUntil(() => stateOf(a).entities + stateOf(b).entities === 10)
      const had = stateOf(b).shards.map(({ shard, entities }) => ({ shard, entities }))
      expect(had.length).toBeGreaterThan(0)
      const left: HandOverIncomplete[] = []
      b.system.eventStream.subscribe(HandOverIncomplete, (event) => void left.push(event))
      await scene.settle(b.sharding.gracefulShutdown('Slow'))
      expect(left).toMatchObject([{ entityType: 'Slow', node: b.id, shards: had, buffered: 0 }])
      expect(JSON.parse(JSON.stringify(left))).toMatchObject([{ shards: had }])
    })
  })
})

describe('SH-045 coordinated shutdown', () => {
  test('runs on a node that is told to leave and on one that is downed; the rest serves', async () => {
    await play(
      async (scene) => {
        const nodes = await start(scene, 'a', 'b', 'c', 'd', 'e')
        const [a, b, c] = nodes as [ShardingNode, ShardingNode, ShardingNode]
        const marked: string[] = []
        for (const { name, system } of nodes) {
          system.shutdown.addTask('before-service-unbind', 'mark', async () => {
            marked.push(name)
          })
        }
        await homesOf(scene, a)
        c.cluster.leave(a.id)
        const leftMs = scene.simulation.now
        await scene.settle(a.system.whenTerminated)
        expect(scene.simulation.now - leftMs).toBeLessThan(20_000)
        expect(marked).toEqual(['a'])
        const moved = await homesOf(scene, b)
        expect(moved).not.toContain(a.id)
        b.cluster.down(c.id)
        await scene.settle(c.system.whenTerminated)
        expect(marked).toEqual(['a', 'c'])
        expect(await homesOf(scene, b)).not.toContain(c.id)
      },
      { seeds: 5 },
    )
  })

  test('of the two oldest at once moves nothing of the others (S4, S25)', async () => {
    await play(
      async (scene) => {
        const nodes = await start(scene, 'a', 'b', 'c', 'd')
        const [a, b, c] = nodes as [ShardingNode, ShardingNode, ShardingNode]
        const before = await homesOf(scene, c)
        const lives = await scene.settle(Promise.all(ids.map((id) => countOf(c, id))))
        // Still a member like any other, it is served; what is sent while the coordinator moves finds it.
        const answers: string[] = []
        b.system.shutdown.addTask('before-cluster-shutdown', 'ask once more', async () => {
          answers.push((await countOf(b, '3')).node)
        })
        await scene.settle(Promise.all([a.system.terminate(), b.system.terminate()]))
        expect(answers).toHaveLength(1)
        const after = await scene.settle(Promise.all(ids.map((id) => answerOf(c, id))))
        for (const [index, node] of before.entries()) {
          const isGone = node === a.id || node === b.id
          expect(isGone || after[index]?.node === node).toBe(true)
          expect(isGone || after[index]?.life === lives[index]?.life).toBe(true)
          expect([a.id, b.id]).not.toContain(after[index]?.node)
        }
      },
      { seeds: 8 },
    )
  })
})

describe('a whole cluster that is about to stop', () => {
  test('moves nothing any more, answers still, and each node ends its own entities', async () => {
    await play(
      async (scene) => {
        const nodes = await start(scene, 'a', 'b', 'c')
        const [a, b, c] = nodes as [ShardingNode, ShardingNode, ShardingNode]
        const before = await homesOf(scene, a)
        for (const id of ids) counterOn(b, id).tell({ type: 'Add', by: 1 })
        expect(await scene.settle(b.sharding.prepareForShutdown())).toEqual([])
        const isHeard = ({ sharding }: ShardingNode) =>
          sharding.regionState('Counter').isPreparingForShutdown
        await scene.simulation.runUntil(() => nodes.every(isHeard))
        // One that comes now hears it too, and gets nothing.
        const d = await scene.start('d', { init })
        await scene.simulation.runUntil(() => isHeard(d))
        const counted = await scene.settle(Promise.all(ids.map((id) => countOf(d, id))))
        expect(counted.map(({ node }) => node)).toEqual(before)
        expect(counted.map(({ count }) => count)).toEqual(ids.map(() => 1))
        const begunMs = scene.simulation.now
        await scene.settle(c.sharding.gracefulShutdown('Counter'))
        expect(scene.simulation.now - begunMs).toBeLessThan(1_000)
        await scene.simulation.run({ for: '15s' })
        // Nobody took its shards, until somebody asks for one.
        const rest = await scene.settle(a.sharding.shardsByRegion('Counter'))
        const theirs = before.filter((node) => node !== c.id).length
        expect([...rest.values()].flat()).toHaveLength(theirs)
        const orphan = ids[before.indexOf(c.id)]!
        expect((await scene.settle(answerOf(a, orphan))).count).toBe(1)
        const endedMs = scene.simulation.now
        await scene.settle(Promise.all([a, b, c, d].map(({ system }) => system.terminate())))
        expect(scene.simulation.now - endedMs).toBeLessThan(30_000)
      },
      { seeds: 6 },
    )
  })

  test('is remembered by the next coordinator', async () => {
    await play(
      async (scene) => {
        const nodes = await start(scene, 'a', 'b', 'c')
        const [a, b, c] = nodes as [ShardingNode, ShardingNode, ShardingNode]
        const before = await homesOf(scene, c)
        expect(await scene.settle(c.sharding.prepareForShutdown())).toEqual([])
        await scene.settle(a.system.terminate())
        await scene.simulation.runUntil(
          () => c.sharding.regionState('Counter').coordinator === b.id,
          { within: '60s' },
        )
        await scene.simulation.run({ for: '15s' })
        const rest = await scene.settle(c.sharding.shardsByRegion('Counter'))
        const theirs = before.filter((node) => node !== a.id).length
        expect([...rest.values()].flat()).toHaveLength(theirs)
      },
      { seeds: 6 },
    )
  })
})

test('a command that ends with its node can call entities of other types until it has ended, also before the stop of all', async () => {
  for (let seed = 1; seed <= 5; seed++) {
    await using simulation = new Simulation({ seed })
    const command = { isBegun: false, isLetGo: false }
    const settings = { sharding: { rebalanceIntervalMs: 3_600_000 } }
    const Till = defineEntity('Till', {
      numberOfShards: 1,
      state: () => ({ sum: 0 }),
      events: { Added: ({ sum }, by: number) => ({ sum: sum + by }) },
      commands: { add: (self, by: number) => self.persist('Added', by).sum },
    })
    const Order = defineEntity('Order', {
      numberOfShards: 8,
      state: () => ({}),
      commands: {
        pay: async (self) => {
          command.isBegun = true
          while (!command.isLetGo) await self.entity(Till, 'all').add(0)
          return self.entity(Till, 'all').add(5)
        },
      },
    })
    const startNode = (name: string) => {
      const given = { entities: [Till, Order], seeds: ['b:2552'], settings }
      return simulation.settle(startSimulatedNode(simulation, name, given))
    }
    const b = await startNode('b')
    expect(await simulation.settle(b.entity(Till, 'all').add(1))).toBe(1)
    const a = await startNode('a')
    let id = 0
    const homeOf = async (order: number) => {
      await simulation.settle(
        b.sharding.entityRefFor(new EntityTypeKey('Order'), `${order}`).start(),
      )
      return (await simulation.settle(b.explain(Order, `${order}`))).home
    }
    while ((await homeOf(id)) !== a.id) id++
    // Nobody lives in the region of tills on a.
    expect(a.sharding.regionState('Till').shards).toEqual([])
    const paid = b.entity(Order, `${id}`, { timeout: '1m' }).pay()
    await simulation.runUntil(() => command.isBegun, { what: 'the command runs' })
    expect(await simulation.settle(a.sharding.prepareForShutdown())).toEqual([])
    const stopped = a.stop()
    const isEnding = () => a.sharding.regionState('Till').phase === 'ending'
    await simulation.runUntil(isEnding, { what: 'the region of tills ends' })
    await simulation.run({ for: '300ms' })
    command.isLetGo = true
    expect(await simulation.settle(paid)).toBe(6)
    await simulation.settle(stopped)
    expect(simulation.violations).toEqual([])
  }
})
