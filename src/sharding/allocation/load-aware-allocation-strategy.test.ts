import { describe, expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import { SeededRandom } from '../../simulation/internals.ts'
import type { ShardId } from '../shard-id.ts'
import {
  LoadAwareAllocationStrategy,
  type LoadAwareOptions,
} from './load-aware-allocation-strategy.ts'
import { ReportedLoads } from './reported-loads.ts'
import type { ClusterView, KnownLoads, ShardLoad } from './shard-allocation-strategy.ts'

const nodes = [1, 2, 3, 4, 5, 6].map((host) => nodeIdOf(`10.0.0.${host}:2552`, 1n))
const [a, b, c] = nodes as [NodeId, NodeId, NodeId]

function viewOf(members: Iterable<NodeId>): ClusterView {
  const statuses = [...members].map((node): [NodeId, MemberStatus] => [node, 'Up'])
  return { members: new Map(statuses), unreachable: new Set() }
}

/** Messages per second by shard. */
function loadsOf(messages: Readonly<Record<number, number>>): KnownLoads {
  const entries = Object.entries(messages).map(
    ([shard, messagesPerSecond]): [ShardId, ShardLoad] => [
      Number(shard),
      { messagesPerSecond, bytesPerSecond: 0 },
    ],
  )
  return new Map(entries)
}

/** A cluster that does what the strategy says, until it says nothing; answers how many rounds and moves that took. */
function settle(
  allocations: Map<NodeId, ShardId[]>,
  loads: () => KnownLoads,
  options: LoadAwareOptions = {},
) {
  const strategy = new LoadAwareAllocationStrategy(options)
  const cluster = viewOf(allocations.keys())
  let moves = 0
  for (let round = 0; round < 1_000; round++) {
    const known = loads()
    const chosen = strategy.rebalance({ allocations, inProgress: new Set(), cluster, loads: known })
    if (chosen.length === 0) return { rounds: round, moves }
    expect(chosen.length).toBeLessThanOrEqual(options.shardsMax ?? 5)
    for (const [node, held] of allocations) {
      allocations.set(
        node,
        held.filter((shard) => !chosen.includes(shard)),
      )
    }
    for (const shard of chosen) {
      const request = { shard, requester: undefined, allocations, cluster, loads: known }
      allocations.get(strategy.allocateShard(request)!.home)!.push(shard)
    }
    moves += chosen.length
  }
  throw new Error('it goes on moving shards for ever')
}

function busiestAndMean(allocations: ReadonlyMap<NodeId, readonly ShardId[]>, loads: KnownLoads) {
  const costs = [...allocations.values()].map((shards) =>
    shards.reduce((sum, shard) => sum + (loads.get(shard)?.messagesPerSecond ?? 0), 0),
  )
  return { busiest: Math.max(...costs), mean: costs.reduce((x, y) => x + y, 0) / costs.length }
}

describe('LoadAwareAllocationStrategy', () => {
  const hot = loadsOf({ 1: 100, 2: 100, 3: 1, 4: 1, 5: 1, 6: 1 })

  test('gives a new shard to the node with the least to do, however many it has, and says so', () => {
    const allocations = new Map([
      [a, [1, 2]],
      [b, [3, 4, 5, 6]],
    ])
    const request = {
      shard: 9,
      requester: undefined,
      allocations,
      cluster: viewOf([a, b]),
      loads: hot,
    }
    expect(new LoadAwareAllocationStrategy().allocateShard(request)).toEqual({
      home: b,
      why: 'It had the least to do, 11 a second, of 2 nodes.',
    })
  })

  test('takes one of two hot shards from their node, and nothing else', () => {
    const allocations = new Map([
      [a, [1, 2]],
      [b, [3, 4, 5, 6]],
    ])
    expect(settle(allocations, () => hot)).toEqual({ rounds: 1, moves: 1 })
    expect(allocations.get(b)).toContain(1)
  })

  test('leaves alone what another home would not make better: one shard that is hot by itself', () => {
    const loads = loadsOf({ 1: 1_000, 2: 1, 3: 1, 4: 1 })
    const allocations = new Map([
      [a, [1]],
      [b, [2, 3, 4]],
    ])
    expect(settle(allocations, () => loads)).toEqual({ rounds: 0, moves: 0 })
  })

  test('does what least-shard does while nothing was reported', () => {
    const strategy = new LoadAwareAllocationStrategy()
    const request = { cluster: viewOf([a, b, c]), inProgress: new Set<ShardId>() }
    const allocations = new Map([
      [a, [1, 2, 3]],
      [b, []],
      [c, []],
    ])
    expect(strategy.rebalance({ ...request, allocations })).toEqual([1, 2])
    expect(strategy.rebalance({ ...request, allocations, loads: new Map() })).toEqual([1, 2])
    expect(
      strategy.allocateShard({
        shard: 4,
        requester: undefined,
        allocations,
        cluster: request.cluster,
      }),
    ).toMatchObject({ home: b })
  })

  test('spreads shards that nobody has called, too', () => {
    const idle = loadsOf(
      Object.fromEntries(Array.from({ length: 40 }, (_, shard) => [shard, shard === 0 ? 1 : 0])),
    )
    const allocations = new Map([
      [a, [...idle.keys()]],
      [b, []],
    ])
    settle(allocations, () => idle)
    expect(allocations.get(b)!.length).toBeGreaterThan(0)
  })

  test('moves nothing while members are unreachable, versions mixed, or a round is under way', () => {
    const strategy = new LoadAwareAllocationStrategy()
    const request = {
      allocations: new Map([
        [a, [1, 2]],
        [b, [3]],
      ]),
      loads: hot,
    }
    const cluster = viewOf([a, b])
    const none = new Set<ShardId>()
    expect(strategy.rebalance({ ...request, cluster, inProgress: none })).toEqual([1])
    expect(strategy.rebalance({ ...request, cluster, inProgress: new Set([3]) })).toEqual([])
    const lost = { ...cluster, unreachable: new Set([b]) }
    expect(strategy.rebalance({ ...request, cluster: lost, inProgress: none })).toEqual([])
    const mixed = {
      ...cluster,
      appVersions: new Map([
        [a, '1.0'],
        [b, '1.1'],
      ]),
    }
    expect(strategy.rebalance({ ...request, cluster: mixed, inProgress: none })).toEqual([])
  })

  test('weighs by a cost of the user, also one that answers nonsense', () => {
    const loads = new Map(
      [1, 2, 3].map((shard) => [shard, { messagesPerSecond: 1, bytesPerSecond: shard * 1_000 }]),
    )
    const allocations = new Map([
      [a, [1, 2, 3]],
      [b, []],
    ])
    const request = { allocations, loads, inProgress: new Set<ShardId>(), cluster: viewOf([a, b]) }
    const costOf = ({ bytesPerSecond }: ShardLoad): number => bytesPerSecond
    expect(new LoadAwareAllocationStrategy({ costOf }).rebalance(request)).toEqual([3])
    for (const nonsense of [NaN, -1, Infinity]) {
      const strategy = new LoadAwareAllocationStrategy({ costOf: () => nonsense })
      // As if nobody had anything to do.
      expect(strategy.rebalance(request)).toEqual([1])
    }
  })

  test.each([[{ shardsMax: 0 }], [{ marginMin: 0 }], [{ costOf: 1 }], [{ margin: 1 }]])(
    'refuses %j',
    (options) => {
      expect(() => new LoadAwareAllocationStrategy(options as object)).toThrow('cannot be used')
    },
  )
})

describe('under a steady load, drawn by chance', () => {
  const random = new SeededRandom(11, 'load-aware')

  /** Most shards have little to do, a few have much. */
  function drawn() {
    const count = 2 + random.below(5)
    const allocations = new Map<NodeId, ShardId[]>(nodes.slice(0, count).map((node) => [node, []]))
    const messages: Record<number, number> = {}
    const shards = 10 + random.below(100)
    for (let shard = 0; shard < shards; shard++) {
      messages[shard] = random.below(10) === 0 ? random.below(1_000) : random.below(20)
      allocations.get(nodes[random.below(random.below(2) === 0 ? count : 1)]!)!.push(shard)
    }
    return { allocations, loads: loadsOf(messages) }
  }

  test('moves come to an end, of fewer shards than there are, and the busiest node is no busier than before', () => {
    for (let attempt = 0; attempt < 300; attempt++) {
      const { allocations, loads } = drawn()
      const before = busiestAndMean(allocations, loads)
      const { moves } = settle(allocations, () => loads)
      expect(moves).toBeLessThanOrEqual(loads.size)
      expect(busiestAndMean(allocations, loads).busiest).toBeLessThanOrEqual(before.busiest)
      expect(settle(allocations, () => loads)).toEqual({ rounds: 0, moves: 0 })
    }
  })

  test('a node is left busier than the margin allows only where no shard could be taken from it', () => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const { allocations, loads } = drawn()
      settle(allocations, () => loads)
      const { busiest, mean } = busiestAndMean(allocations, loads)
      const hottest = Math.max(...[...loads.values()].map((load) => load.messagesPerSecond))
      expect(busiest).toBeLessThanOrEqual(Math.max(mean * 1.2, mean + hottest) * 1.1 + 1)
    }
  })

  test('noise of a tenth in the reports moves next to nothing once it has settled', () => {
    for (let attempt = 0; attempt < 50; attempt++) {
      const { allocations, loads } = drawn()
      const reports = new ReportedLoads()
      const report = (): KnownLoads => {
        const shards = [...loads.keys()]
        const messages = shards.map((shard) =>
          Math.round(
            (loads.get(shard)?.messagesPerSecond ?? 0) * 5 * (0.95 + random.float() * 0.1),
          ),
        )
        const bytes = shards.map(() => 0)
        reports.note(
          { type: 'ShardLoads', region: a, durationMs: 5_000, shards, messages, bytes },
          () => true,
        )
        return reports.known!
      }
      settle(allocations, report)
      let later = 0
      for (let round = 0; round < 20; round++) later += settle(allocations, report).moves
      expect(later).toBeLessThanOrEqual(2)
    }
  })
})

describe('ReportedLoads', () => {
  const report = (shards: ShardId[], messages: number[], durationMs = 1_000) =>
    ({
      type: 'ShardLoads',
      region: a,
      durationMs,
      shards,
      messages,
      bytes: messages.map(() => 0),
    }) as const

  test('is the mean of the reports, recent ones first, and what was given does not change', () => {
    const reports = new ReportedLoads()
    expect(reports.known).toBeUndefined()
    reports.note(report([1, 2], [100, 0]), () => true)
    const first = reports.known
    reports.note(report([1], [0]), () => true)
    expect(reports.known?.get(1)?.messagesPerSecond).toBe(50)
    expect(first?.get(1)?.messagesPerSecond).toBe(100)
  })

  test('takes nothing from who is not the home any more, nor of no time at all', () => {
    const reports = new ReportedLoads()
    reports.note(report([1, 2], [5, 5]), (shard) => shard === 2)
    reports.note(report([2], [5], 0), () => true)
    expect([...(reports.known ?? [])]).toEqual([[2, { messagesPerSecond: 5, bytesPerSecond: 0 }]])
  })
})
