import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import {
  LeastShardAllocationStrategy,
  type LeastShardOptions,
} from './least-shard-allocation-strategy.ts'
import type { MemberStatus } from '../../cluster/index.ts'
import { SeededRandom } from '../../simulation/internals.ts'
import { ConsistentHashingAllocationStrategy } from './consistent-hashing-allocation-strategy.ts'
import { bySuitability } from './region-candidate.ts'
import type { ClusterView, RebalanceRequest } from './shard-allocation-strategy.ts'
import { ThresholdLeastShardAllocationStrategy } from './threshold-least-shard-allocation-strategy.ts'

const regions = [1, 2, 3].map((host) => nodeIdOf(`127.0.0.${host}:2552`, 1n))
const noLimits = { shardsMax: 1_000, shareMax: 1 }

/** Shards 1, 2, … handed out in order: the first region gets the first ones. */
function allocate(counts: readonly number[]): Map<NodeId, ShardId[]> {
  let next = 1
  return new Map(
    counts.map((count, index) => [regions[index]!, Array.from({ length: count }, () => next++)]),
  )
}

function clusterOf(statuses: readonly MemberStatus[] = ['Up', 'Up', 'Up']): ClusterView {
  const members = statuses.map((status, index): [NodeId, MemberStatus] => [
    regions[index] ?? nodeIdOf(`127.0.0.${index + 1}:2552`, 1n),
    status,
  ])
  return { members: new Map(members), unreachable: new Set() }
}

function rebalance(
  allocations: Map<NodeId, ShardId[]>,
  options: LeastShardOptions = noLimits,
): readonly ShardId[] {
  const request = { allocations, inProgress: new Set<ShardId>(), cluster: clusterOf() }
  return new LeastShardAllocationStrategy(options).rebalance(request)
}

/** Moves the shards to where the strategy would put them, and counts. */
function move(allocations: Map<NodeId, ShardId[]>, shards: readonly ShardId[]): number[] {
  const strategy = new LeastShardAllocationStrategy(noLimits)
  for (const held of allocations.values()) {
    for (const shard of shards) if (held.includes(shard)) held.splice(held.indexOf(shard), 1)
  }
  for (const shard of shards) {
    const request = { shard, requester: undefined, allocations, cluster: clusterOf() }
    allocations.get(strategy.allocateShard(request)!.home)!.push(shard)
  }
  return [...allocations.values()].map(({ length }) => length)
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('SH-021 LeastShardAllocationStrategy (V-01)', () => {
  test('gives a new shard to the region with the fewest', () => {
    const allocations = allocate([1, 1, 0])
    const request = { shard: 9, requester: undefined, allocations, cluster: clusterOf() }
    expect(new LeastShardAllocationStrategy(noLimits).allocateShard(request)).toEqual({
      home: regions[2],
      why: 'It had the fewest shards, 0, of 3 nodes.',
    })
  })

  test.each([
    { counts: [1, 2, 0], moved: [2], after: [1, 1, 1] },
    { counts: [2, 0, 0], moved: [1], after: [1, 1, 0] },
    { counts: [1, 1, 0], moved: [], after: [1, 1, 0] },
    { counts: [3, 0, 0], moved: [1, 2], after: [1, 1, 1] },
    { counts: [4, 4, 0], moved: [1, 5], after: [3, 3, 2] },
    { counts: [4, 4, 2], moved: [1], after: [3, 4, 3] },
    { counts: [1, 9, 0], limits: [3, 1], moved: [2, 3, 4], after: [2, 6, 2] },
    { counts: [1, 9, 0], limits: [5, 0.3], moved: [2, 3, 4], after: [2, 6, 2] },
  ])('moves $moved from $counts', ({ counts, limits = [1_000, 1], moved, after }) => {
    const allocations = allocate(counts)
    const [shardsMax, shareMax] = limits as [number, number]
    expect(rebalance(allocations, { shardsMax, shareMax })).toEqual(moved)
    expect(move(allocations, moved)).toEqual(after)
  })

  test('reaches the optimum from [5,5,0] in two rounds', () => {
    const allocations = allocate([5, 5, 0])
    expect(rebalance(allocations)).toEqual([1, 6])
    expect(move(allocations, [1, 6])).toEqual([4, 4, 2])
    expect(rebalance(allocations)).toEqual([2])
    expect(move(allocations, [2])).toEqual([3, 4, 3])
    expect(rebalance(allocations)).toEqual([])
  })

  test('reaches the optimum from [50,0,50] in two rounds', () => {
    const allocations = allocate([50, 0, 50])
    const first = rebalance(allocations)
    expect(first).toEqual([...range(1, 16), ...range(51, 66)])
    expect(move(allocations, first).sort((x, y) => x - y)).toEqual([32, 34, 34])
    expect(rebalance(allocations)).toEqual([17])
    expect(move(allocations, [17]).sort((x, y) => x - y)).toEqual([33, 33, 34])
  })

  test('moves nothing while anything moves', () => {
    const inProgress = new Set([2, 3])
    const request = { allocations: allocate([10, 0, 0]), inProgress, cluster: clusterOf() }
    expect(new LeastShardAllocationStrategy(noLimits).rebalance(request)).toEqual([])
  })

  test('gives nothing to a region whose node is not a member', () => {
    const strategy = new LeastShardAllocationStrategy(noLimits)
    const request = { shard: 9, requester: undefined, allocations: allocate([3, 0, 0]) }
    const chosen = strategy.allocateShard({ ...request, cluster: clusterOf(['Up']) })
    expect(chosen?.home).toBe(regions[0])
    expect(strategy.allocateShard({ ...request, cluster: clusterOf([]) })).toBeUndefined()
  })

  test('counts on nobody who leaves, and takes nothing from there', () => {
    const cluster = clusterOf(['Up', 'Up', 'Leaving'])
    const request = { inProgress: new Set<ShardId>(), cluster }
    const strategy = new LeastShardAllocationStrategy(noLimits)
    expect(strategy.rebalance({ ...request, allocations: allocate([5, 5, 0]) })).toEqual([])
    expect(strategy.rebalance({ ...request, allocations: allocate([7, 3, 0]) })).toEqual([1, 2])
  })
})

describe('SH-023 suitability, and when balance is worth anything', () => {
  test('prefers whoever stays, then the newer, then whoever has less, then the first address', () => {
    const [a, b, c] = regions as [NodeId, NodeId, NodeId]
    const region = (node: NodeId, count: number, appVersion = '1.0.1', isLeaving = false) => ({
      ...{ node, isLeaving, appVersion },
      shards: range(1, count),
    })
    const sorted = [
      ...[region(b, 0), region(c, 0), region(a, 1), region(b, 2)],
      ...[region(a, 0, '1.0.0'), region(a, 9, '1.0.1', true), region(a, 0, '1.0.0', true)],
    ]
    expect([...sorted].reverse().sort(bySuitability)).toEqual(sorted)
  })

  test('gives new shards to the newest version, also when it has more, and says so', () => {
    const versions = ['1.9.0', '1.10.0', '1.9.0']
    const appVersions = new Map(regions.map((node, index) => [node, versions[index]!]))
    const cluster = { ...clusterOf(), appVersions }
    const request = { shard: 9, requester: undefined, allocations: allocate([0, 5, 0]), cluster }
    expect(new LeastShardAllocationStrategy(noLimits).allocateShard(request)).toEqual({
      home: regions[1],
      why: 'It had the fewest shards, 5, of 1 node with the newest version, 1.10.0.',
    })
  })

  const mixed = new Map([
    [regions[0]!, '1.0.0'],
    [regions[1]!, '1.0.0'],
    [regions[2]!, '1.0.1'],
  ])
  const badTimes: readonly [string, ClusterView][] = [
    ['versions are mixed', { ...clusterOf(), appVersions: mixed }],
    ['a member is unreachable', { ...clusterOf(), unreachable: new Set([regions[1]!]) }],
    ['a member is joining', clusterOf(['Up', 'Up', 'Up', 'Joining'])],
  ]
  const strategies = [
    new LeastShardAllocationStrategy(noLimits),
    new ThresholdLeastShardAllocationStrategy(),
    new ConsistentHashingAllocationStrategy(),
  ]

  test.each(badTimes)('moves nothing while %s', (_, cluster) => {
    const request = { allocations: allocate([5, 5, 0]), inProgress: new Set<ShardId>() }
    for (const strategy of strategies) {
      expect(strategy.rebalance({ ...request, cluster })).toEqual([])
      expect(strategy.rebalance({ ...request, cluster: clusterOf() })).not.toEqual([])
    }
  })

  test('does not mind versions of members without a region, nor how equal ones are written', () => {
    const strategy = new LeastShardAllocationStrategy(noLimits)
    const appVersions = new Map([
      [regions[0]!, '1.0.0'],
      [regions[1]!, '1'],
      [regions[2]!, '1.0+4f2a'],
      [nodeIdOf('127.0.0.9:2552', 1n), '7.0.0'],
    ])
    const cluster = { ...clusterOf(), appVersions }
    const request = { allocations: allocate([5, 5, 0]), inProgress: new Set<ShardId>(), cluster }
    expect(strategy.rebalance(request)).toEqual([1, 6])
  })
})

describe('least-shard from anywhere', () => {
  const random = new SeededRandom(7, 'least-shard')

  /** Rounds until nothing moves; each keeps within its limits, and loses nothing. */
  function settle(allocations: Map<NodeId, ShardId[]>, limits: LeastShardOptions): number {
    const strategy = new LeastShardAllocationStrategy(limits)
    const cluster: ClusterView = {
      members: new Map([...allocations.keys()].map((node): [NodeId, MemberStatus] => [node, 'Up'])),
      unreachable: new Set(),
    }
    const total = [...allocations.values()].flat().length
    const limit = Math.max(1, Math.min(Math.floor(limits.shareMax * total), limits.shardsMax))
    for (let round = 0; ; round++) {
      const request: RebalanceRequest = { allocations, inProgress: new Set(), cluster }
      const chosen = strategy.rebalance(request)
      if (chosen.length === 0) return round
      expect(chosen.length).toBeLessThanOrEqual(limit)
      const moved = new Set(chosen)
      expect(moved.size).toBe(chosen.length)
      for (const held of allocations.values()) {
        const staying = held.filter((shard) => !moved.has(shard))
        held.splice(0, held.length, ...staying)
      }
      for (const shard of chosen) {
        const { home } = strategy.allocateShard({
          ...{ shard, requester: undefined, allocations, cluster },
        })!
        allocations.get(home)!.push(shard)
      }
      expect([...allocations.values()].flat().length).toBe(total)
    }
  }

  function anywhere(regionsMax: number, shardsMax: number): Map<NodeId, ShardId[]> {
    let next = 0
    return new Map(
      range(1, 1 + random.below(regionsMax)).map((host) => [
        nodeIdOf(`10.0.0.${host}:2552`, 1n),
        Array.from({ length: random.below(shardsMax + 1) }, () => next++),
      ]),
    )
  }

  const spread = (allocations: Map<NodeId, ShardId[]>): number => {
    const counts = [...allocations.values()].map(({ length }) => length)
    return Math.max(...counts) - Math.min(...counts)
  }

  test('differs by at most one shard after two rounds, up to 20 regions of 20 shards', () => {
    for (let attempt = 0; attempt < 500; attempt++) {
      const allocations = anywhere(20, 20)
      expect(settle(allocations, { shardsMax: Infinity, shareMax: 1 })).toBeLessThanOrEqual(2)
      expect(spread(allocations)).toBeLessThanOrEqual(1)
    }
  })

  test('differs by at most one shard after five rounds, up to 100 regions of 1,000 shards', () => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const allocations = anywhere(100, 1_000)
      expect(settle(allocations, { shardsMax: Infinity, shareMax: 1 })).toBeLessThanOrEqual(5)
      expect(spread(allocations)).toBeLessThanOrEqual(1)
    }
  })

  test('comes to the same end within any limits', () => {
    for (let attempt = 0; attempt < 100; attempt++) {
      const allocations = anywhere(8, 30)
      settle(allocations, { shardsMax: 1 + random.below(5), shareMax: 0.1 })
      expect(spread(allocations)).toBeLessThanOrEqual(1)
    }
  })
})
