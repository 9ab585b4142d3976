import { describe, expect, test } from 'vitest'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import {
  LeastShardAllocationStrategy,
  type LeastShardOptions,
  bySuitability,
} from './least-shard-allocation-strategy.ts'
import type { MemberStatus } from '../../cluster/index.ts'
import type { ClusterView } from './shard-allocation-strategy.ts'

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
    allocations.get(strategy.allocateShard(request)!)!.push(shard)
  }
  return [...allocations.values()].map(({ length }) => length)
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('LeastShardAllocationStrategy (V-01)', () => {
  test('gives a new shard to the region with the fewest', () => {
    const allocations = allocate([1, 1, 0])
    const request = { shard: 9, requester: undefined, allocations, cluster: clusterOf() }
    expect(new LeastShardAllocationStrategy(noLimits).allocateShard(request)).toBe(regions[2])
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

  test('moves nothing while a member is unreachable or joining', () => {
    const strategy = new LeastShardAllocationStrategy(noLimits)
    const allocations = allocate([5, 5, 0])
    const inProgress = new Set<ShardId>()
    const unreachable = { ...clusterOf(), unreachable: new Set([regions[1]!]) }
    expect(strategy.rebalance({ allocations, inProgress, cluster: unreachable })).toEqual([])
    const joining = clusterOf(['Up', 'Up', 'Up', 'Joining'])
    expect(strategy.rebalance({ allocations, inProgress, cluster: joining })).toEqual([])
  })

  test('prefers whoever stays, then whoever has less, then the first address', () => {
    const [a, b, c] = regions as [NodeId, NodeId, NodeId]
    const region = (node: NodeId, count: number, isLeaving = false) => ({
      node,
      isLeaving,
      shards: range(1, count),
    })
    const sorted = [region(b, 0), region(c, 0), region(a, 1), region(b, 2), region(a, 0, true)]
    expect([...sorted].reverse().sort(bySuitability)).toEqual(sorted)
  })

  test('gives nothing to a region whose node is not a member', () => {
    const cluster = clusterOf(['Up'])
    const request = { shard: 9, requester: undefined, allocations: allocate([3, 0, 0]), cluster }
    expect(new LeastShardAllocationStrategy(noLimits).allocateShard(request)).toBe(regions[0])
    const nobody = { ...request, cluster: clusterOf([]) }
    expect(new LeastShardAllocationStrategy(noLimits).allocateShard(nobody)).toBeUndefined()
  })
})
