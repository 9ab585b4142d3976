import { describe, expect, test } from 'vitest'
import {
  ConsistentHashingAllocationStrategy,
  LoadAwareAllocationStrategy,
  type ShardAllocationStrategy,
  type StrategyContext,
} from '../../src/sharding/index.ts'
import { add, ByNumber, countOf, hostCounters } from './counter.ts'
import { play, type Scene, type ShardingNode } from './scene.ts'

const numberOfShards = 12

/** Starts counters with this strategy, and looks at the balance every second. */
function hosting(allocationStrategy: ShardAllocationStrategy, settings: object = {}) {
  return (node: ShardingNode): void =>
    hostCounters(node, {
      ...{ allocationStrategy, extractor: new ByNumber(numberOfShards) },
      settings: { numberOfShards, rebalanceIntervalMs: 1_000, ...settings },
    })
}

const nodeOf = async (scene: Scene, from: ShardingNode, id: string): Promise<string> =>
  (await scene.settle(countOf(from, id))).node

const hosts = (node: ShardingNode, shard: number): boolean =>
  node.sharding.regionState('Counter').shards.some((hosted) => hosted.shard === shard)

describe('SH-025 a strategy of a user', () => {
  test('decides where shards go, and which of them move', async () => {
    await play(async (scene) => {
      let target = ''
      let moving: readonly number[] = []
      const told: string[] = []
      const strategy: ShardAllocationStrategy = {
        start: ({ entityType, node }: StrategyContext) => void told.push(`${entityType} ${node}`),
        stop: () => void told.push('stopped'),
        allocateShard: async () => ({ home: target, why: 'The test says so.' }),
        rebalance: async ({ inProgress }) => {
          const now = moving.filter((shard) => !inProgress.has(shard))
          moving = []
          return now
        },
      }
      const init = hosting(strategy)
      const a = await scene.start('a', { init })
      target = a.id
      expect(await nodeOf(scene, a, '1')).toBe(a.id)
      const b = await scene.start('b', { init })
      add(a, '2', 1)
      expect(await nodeOf(scene, b, '2')).toBe(a.id)
      target = b.id
      expect(await nodeOf(scene, a, '3')).toBe(b.id)
      expect(await nodeOf(scene, a, '2')).toBe(a.id)
      moving = [2]
      const isMoved = (): boolean => hosts(b, 2)
      await scene.simulation.runUntil(isMoved, { within: '10s', what: 'shard 2 has moved' })
      expect(await scene.settle(countOf(a, '2'))).toMatchObject({ node: b.id, count: 1 })
      expect(await nodeOf(scene, b, '1')).toBe(a.id)
      expect(told).toEqual([`Counter ${a.id}`])
      await scene.settle(a.system.terminate())
      expect(await nodeOf(scene, b, '1')).toBe(b.id)
      await scene.simulation.runUntil(() => told.length === 3, { what: 'b coordinates' })
      expect(told.slice(1).toSorted()).toEqual([`Counter ${b.id}`, 'stopped'])
    })
  })

  test('that is started slowly is waited for, and the default one decides when that takes too long', async () => {
    await play(async (scene) => {
      let started: () => void = () => undefined
      const strategy: ShardAllocationStrategy = {
        start: () => new Promise((resolve) => (started = resolve)),
        allocateShard: ({ allocations }) => [...allocations.keys()].sort().at(-1),
        rebalance: () => [],
      }
      const init = hosting(strategy, { strategyTimeoutMs: 3_000 })
      const a = await scene.start('a', { init })
      const b = await scene.start('b', { init })
      const begunMs = scene.simulation.now
      // Nobody has any: the first address is the one with the fewest.
      expect(await nodeOf(scene, b, '1')).toBe(a.id)
      expect(scene.simulation.now - begunMs).toBeGreaterThanOrEqual(3_000)
      started()
      expect(await nodeOf(scene, a, '2')).toBe(b.id)
    })
  })

  test('that throws, hangs, names strangers or wants to move everything harms nobody', async () => {
    await play(
      async (scene) => {
        let turn = 0
        const misbehave = (): never => {
          turn++
          if (turn % 4 === 0) throw new Error('boom')
          if (turn % 4 === 1) return new Promise(() => undefined) as never
          return (turn % 4 === 2 ? 'nobody:1#0000000000000001' : { home: 7 }) as never
        }
        const everything = Array.from({ length: 5_000 }, (_, shard) => shard - 10)
        const strategy: ShardAllocationStrategy = {
          allocateShard: misbehave,
          rebalance: () => (turn % 2 === 0 ? everything : misbehave()),
        }
        const init = hosting(strategy, { strategyTimeoutMs: 300 })
        const a = await scene.start('a', { init })
        const b = await scene.start('b', { init })
        for (let round = 1; round <= 10; round++) {
          for (let id = 0; id < numberOfShards; id++) add(round % 2 === 0 ? a : b, `${id}`, 1)
          await scene.simulation.run({ for: '1s' })
        }
        for (let id = 0; id < numberOfShards; id++) {
          expect((await scene.settle(countOf(a, `${id}`))).count).toBe(10)
        }
        expect([a.lost, b.lost]).toEqual([[], []])
      },
      { seeds: 10 },
    )
  })
})

describe('SH-023 one version replaces another', () => {
  test('new shards go to the newer, nothing moves for balance meanwhile, and the old ones hand over to it', async () => {
    await play(async (scene) => {
      const init = (node: ShardingNode): void =>
        hostCounters(node, {
          extractor: new ByNumber(numberOfShards),
          settings: { numberOfShards, rebalanceIntervalMs: 1_000, rebalanceShareMax: 1 },
        })
      const a = await scene.start('a', { init, appVersion: '1.9.0' })
      for (const id of ['0', '1', '2', '3']) await scene.settle(countOf(a, id))
      const b = await scene.start('b', { init, appVersion: '1.10.0' })
      await scene.simulation.run({ for: '30s' })
      const shardsOf = (node: ShardingNode): number =>
        node.sharding.regionState('Counter').shards.length
      expect([shardsOf(a), shardsOf(b)]).toEqual([4, 0])
      for (const id of ['4', '5', '6', '7', '8', '9']) expect(await nodeOf(scene, a, id)).toBe(b.id)
      await scene.settle(a.system.terminate())
      for (const id of ['0', '1', '2', '3']) expect(await nodeOf(scene, b, id)).toBe(b.id)
    })
  })
})

describe('strategies in a whole cluster', () => {
  test('consistent hashing puts the same shard of two nodes where the ring says, also after a join', async () => {
    await play(async (scene) => {
      const init = hosting(new ConsistentHashingAllocationStrategy())
      const a = await scene.start('a', { init })
      for (let id = 0; id < numberOfShards; id++) add(a, `${id}`, 1)
      await scene.settle(countOf(a, '0'))
      const b = await scene.start('b', { init })
      const ring = new ConsistentHashingAllocationStrategy()
      const isPlaced = async (): Promise<boolean> => {
        const allocations = await scene.settle(a.sharding.shardsByRegion('Counter'))
        const members = new Map([a, b].map(({ id }) => [id, 'Up' as const]))
        const cluster = { members, unreachable: new Set<string>() }
        return ring.rebalance({ allocations, inProgress: new Set(), cluster }).length === 0
      }
      for (let second = 0; second < 30 && !(await isPlaced()); second++) {
        await scene.simulation.run({ for: '1s' })
      }
      expect(await isPlaced()).toBe(true)
      expect(b.sharding.regionState('Counter').shards.length).toBeGreaterThan(0)
      expect((await scene.settle(countOf(b, '7'))).count).toBe(1)
    })
  })

  test('load-aware parts two hot shards that are on one node, by what the nodes report, and leaves it at that', async () => {
    await play(
      async (scene) => {
        const init = hosting(new LoadAwareAllocationStrategy(), { loadReportIntervalMs: 1_000 })
        const a = await scene.start('a', { init })
        await scene.settle(Promise.all(['0', '1'].map((id) => countOf(a, id))))
        const b = await scene.start('b', { init })
        await scene.settle(Promise.all(['2', '3'].map((id) => countOf(a, id))))
        const homes = (): (string | undefined)[] =>
          [0, 1].map((shard) => a.sharding.shardHomes('Counter').get(shard))
        expect(homes()).toEqual([a.id, a.id])
        const call = (): void => {
          for (let times = 0; times < 20; times++) for (const id of ['0', '1']) add(b, id, 1)
        }
        const changes: string[] = []
        for (let tenths = 0; tenths < 200; tenths++) {
          call()
          await scene.simulation.run({ for: '100ms' })
          const now = JSON.stringify(homes())
          if (!now.includes('null') && changes.at(-1) !== now) changes.push(now)
        }
        expect(new Set(homes()).size).toBe(2)
        expect(changes.length).toBeLessThanOrEqual(2)
        for (const id of ['0', '1']) {
          expect((await scene.settle(countOf(a, id))).count).toBe(200 * 20)
        }
      },
      { seeds: 2 },
    )
  })
})
