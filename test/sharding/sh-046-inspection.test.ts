import { describe, expect, test } from 'vitest'
import type { ActorRef } from '../../src/actor/index.ts'
import {
  type ClusterReport,
  GetClusterStats,
  GetRegions,
  GetRegionState,
  type HostingRegion,
  type RegionRequest,
  type RegionState,
} from '../../src/sharding/index.ts'
import { ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

const byNumber = (numberOfShards: number) => ({
  extractor: new ByNumber(numberOfShards),
  settings: { numberOfShards, rebalanceIntervalMs: 3_600_000 },
  role: 'host',
})

/** As many hosts as there are names, and a controller that routes only. */
async function stage(scene: Scene, names: readonly string[], numberOfShards: number) {
  const options = byNumber(numberOfShards)
  const hosts: ShardingNode[] = []
  for (const name of names) {
    const init = (node: ShardingNode): void => hostCounters(node, options)
    hosts.push(await scene.start(name, { init, roles: ['host'] }))
  }
  const controller = await scene.start('controller', {
    init: ({ sharding }) => void sharding.startProxy({ ...options, entityType: 'Counter' }),
  })
  return { hosts, controller }
}

async function ping(scene: Scene, node: ShardingNode, ids: readonly string[]): Promise<void> {
  await scene.settle(Promise.all(ids.map((id) => countOf(node, id))))
}

function idsIn({ regions }: ClusterReport): string[] {
  return regions
    .flatMap(({ shards }) => shards.flatMap(({ entityIds = [] }) => entityIds))
    .toSorted()
}

/** What stands in JSON is the whole of it. */
function expectPlain(value: unknown): void {
  expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value)
}

describe('SH-046 the state of regions', () => {
  test('is empty before the first message, and has every entity after it, by shard', async () => {
    await play(async (scene) => {
      const { hosts, controller } = await stage(scene, ['a', 'b'], 2)
      const { sharding } = controller
      const regions = await scene.settle(sharding.hostingRegions('Counter'))
      expect(new Set(regions.map(({ region }) => region))).toEqual(
        new Set(hosts.map(({ id }) => id)),
      )
      expect(idsIn(await scene.settle(sharding.clusterState('Counter')))).toEqual([])
      await ping(scene, controller, ['1', '2', '3', '4'])
      const whole = await scene.settle(sharding.clusterState('Counter'))
      expect(idsIn(whole)).toEqual(['1', '2', '3', '4'])
      expectPlain(whole)
      for (const { id, sharding: here } of hosts) {
        const state = here.regionState('Counter')
        expectPlain(state)
        const report = whole.regions.find(({ node }) => node === id)
        expect(report).toMatchObject({ entities: state.entities, shards: state.shards })
        for (const { shard, entities, entityIds } of state.shards) {
          expect(entities).toBe(entityIds.length)
          expect(entityIds.every((entityId) => Number(entityId) % 2 === shard)).toBe(true)
        }
      }
    })
  })

  test('is not there for a type that was not started', async () => {
    await play(
      async (scene) => {
        const { sharding } = await scene.start('a')
        expect(sharding.hostedEntityTypes).toEqual([])
        expect(() => sharding.regionState('Counter')).toThrow('not started')
        expect(() => sharding.clusterStats('Counter')).toThrow('not started')
      },
      { seeds: 1 },
    )
  })

  test('is told to actors that hold the region', async () => {
    await play(async (scene) => {
      const { hosts, controller } = await stage(scene, ['a', 'b'], 2)
      await ping(scene, controller, ['1', '2', '3'])
      const region = hosts[0]!.sharding.regionOf('Counter') as ActorRef<RegionRequest>
      const state = region.ask<RegionState>((replyTo) => new GetRegionState(replyTo))
      expect(await scene.settle(state)).toEqual(hosts[0]!.sharding.regionState('Counter'))
      const regions = region.ask<readonly HostingRegion[]>((replyTo) => new GetRegions(replyTo))
      expect(await scene.settle(regions)).toHaveLength(2)
      const stats = region.ask<ClusterReport>((replyTo) => new GetClusterStats(replyTo))
      expect((await scene.settle(stats)).counts).toMatchObject({ regions: 2, entities: 3 })
    })
  })
})

describe('SH-047 how much lives where', () => {
  test('is told for the whole cluster, also after a node has left', async () => {
    await play(async (scene) => {
      const { hosts, controller } = await stage(scene, ['a', 'b', 'c'], 3)
      const stats = () => scene.settle(controller.sharding.clusterStats('Counter'))
      const none = await stats()
      expect(none.counts).toEqual({
        ...{ regions: 3, regionsFailed: 0, shards: 0, shardsFailed: 0, entities: 0 },
      })
      await ping(scene, controller, ['1', '2', '4', '6'])
      const four = await stats()
      expect(four.counts).toEqual({
        ...{ regions: 3, regionsFailed: 0, shards: 3, shardsFailed: 0, entities: 4 },
      })
      expect(four.regions.map(({ node }) => node)).toEqual(hosts.map(({ id }) => id).toSorted())
      expect(four.regions.flatMap(({ failed }) => failed)).toEqual([])
      expect(four).toMatchObject({ entityType: 'Counter', duplicates: [] })
      expect(four.problem).toBeUndefined()
      expectPlain(four)
      await scene.settle(hosts[2]!.system.terminate())
      await ping(scene, controller, ['1', '2', '4', '6'])
      const left = await stats()
      expect(left.counts).toMatchObject({ regions: 2, shards: 3, shardsFailed: 0, entities: 4 })
      // A proxy is no region.
      expect(left.regions.map(({ node }) => node)).not.toContain(controller.id)
    })
  })
})

describe('SH-048 what does not answer', () => {
  test('is told as failed with its shards and a reason, and is not taken for empty', async () => {
    await play(async (scene) => {
      const { hosts, controller } = await stage(scene, ['a', 'b', 'c'], 6)
      const ids = ['0', '1', '2', '3', '4', '5']
      await ping(scene, controller, ids)
      const busy = hosts[2]!
      // Nothing of what it says comes here; both stay in the cluster for as long as the question lasts.
      scene.simulation.network.stall('controller', 'c')
      const begunMs = scene.simulation.now
      const asked = controller.sharding.clusterState('Counter', { timeout: '1s' })
      const found = await scene.settle(asked)
      expect(scene.simulation.now - begunMs).toBeLessThanOrEqual(1_100)
      expect(found.counts).toEqual({
        ...{ regions: 3, regionsFailed: 1, shards: 6, shardsFailed: 2, entities: 4 },
      })
      for (const { node, shards, failed, problem } of found.regions) {
        const isBusy = node === busy.id
        expect([shards.length, failed.length]).toEqual(isBusy ? [0, 2] : [2, 0])
        expect(problem).toBe(isBusy ? `${node} has not answered within 1000 ms` : undefined)
        for (const { reason } of failed) expect(reason).toBe(problem)
      }
      expectPlain(found)
      // On another node it answers.
      const there = await scene.settle(hosts[0]!.sharding.clusterStats('Counter'))
      expect(there.counts).toMatchObject({ regionsFailed: 0, shards: 6, entities: 6 })
    })
  })

  test('without any time is failed at once, by what the node knows itself', async () => {
    await play(async (scene) => {
      const { controller } = await stage(scene, ['a', 'b', 'c'], 6)
      await ping(scene, controller, ['0', '1', '2', '3', '4', '5'])
      const found = await scene.settle(controller.sharding.clusterStats('Counter', { timeout: 0 }))
      expect(found.counts).toMatchObject({
        regions: 3,
        regionsFailed: 3,
        shards: 6,
        shardsFailed: 6,
      })
      expect(found.problem).toContain('has not answered')
    })
  })

  test('may be the coordinator: then members are asked, and the report says so', async () => {
    await play(async (scene) => {
      const { hosts, controller } = await stage(scene, ['a', 'b', 'c'], 6)
      await ping(scene, controller, ['0', '1', '2', '3', '4', '5'])
      // The oldest has the coordinator.
      scene.simulation.network.stall('controller', 'a')
      const asked = controller.sharding.clusterStats('Counter', { timeout: '1s' })
      const found = await scene.settle(asked)
      expect(found.problem).toContain(`coordinator on ${hosts[0]!.id} has not answered`)
      expect(found.counts).toMatchObject({ regions: 3, regionsFailed: 1, shards: 6, entities: 4 })
      expectPlain(found)
    })
  })
})

describe('an entity', () => {
  test('is explained with its home, its life, and the moves of its shard', async () => {
    await play(async (scene) => {
      const { hosts, controller } = await stage(scene, ['a', 'b'], 2)
      await ping(scene, controller, ['1'])
      const explain = () => scene.settle(controller.sharding.explain('Counter', '1'))
      const first = await explain()
      const home = hosts.find(({ id }) => id === first.home)!
      const other = hosts.find(({ id }) => id !== first.home)!
      expect(first).toMatchObject({
        ...{ shard: 1, isHere: false, phase: 'running', isRunning: true, waiting: 0 },
        ...{ buffered: 0, bufferedAtHome: 0, isMoving: false, coordinator: hosts[0]!.id },
        moves: [{ to: home.id, epoch: first.epoch, why: 'first-use' }],
      })
      expect(first.silent).toBeUndefined()
      expectPlain(first)
      await scene.settle(home.sharding.gracefulShutdown('Counter'))
      await ping(scene, controller, ['1'])
      const moved = await explain()
      expect(moved).toMatchObject({ home: other.id, phase: 'running', isRunning: true })
      expect(moved.moves).toMatchObject([
        { to: home.id, why: 'first-use' },
        { from: home.id, to: other.id, why: 'leaving', epoch: moved.epoch },
      ])
      expect(moved.moves![0]!.agoMs).toBeGreaterThanOrEqual(moved.moves![1]!.agoMs)
      expect(moved.epoch).toBeGreaterThan(first.epoch!)
      expectPlain(moved)
    })
  })

  test('is explained by what is known here when nobody answers', async () => {
    await play(async (scene) => {
      const { hosts, controller } = await stage(scene, ['a'], 2)
      await ping(scene, controller, ['1'])
      scene.simulation.network.stall('controller', 'a')
      const asked = controller.sharding.explain('Counter', '1', { timeout: '500ms' })
      const found = await scene.settle(asked)
      expect(found).toMatchObject({ home: hosts[0]!.id, silent: ['coordinator', 'home'] })
      expect(found.isRunning).toBeUndefined()
      expectPlain(found)
    })
  })
})
