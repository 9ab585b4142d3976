import { describe, expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import { addressOfNode, type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import { ConsistentHashingAllocationStrategy } from './consistent-hashing-allocation-strategy.ts'
import { HashRing, ringHash } from './hash-ring.ts'

const [a, b, c, d] = [1, 2, 3, 4].map((host) => nodeIdOf(`127.0.0.${host}:252525`, 1n)) as [
  ...[NodeId, NodeId, NodeId, NodeId],
]
const letters = new Map([a, b, c, d].map((node, index) => [node, 'ABCD'.charAt(index)]))
const nameOf = (node: NodeId): string => `pekko://myapp@${addressOfNode(node)}`

function viewOf(nodes: readonly NodeId[], status: MemberStatus = 'Up') {
  return {
    members: new Map(nodes.map((node) => [node, status])),
    unreachable: new Set<NodeId>(),
  }
}

/** The nodes of shards 0 to 19, a letter each. */
function placesOn(nodes: readonly NodeId[]): string {
  const strategy = new ConsistentHashingAllocationStrategy({ nameOf })
  const allocations = new Map(nodes.map((node) => [node, []]))
  const places = Array.from({ length: 20 }, (_, shard) => {
    const request = { shard, requester: undefined, allocations, cluster: viewOf(nodes) }
    return letters.get(strategy.allocateShard(request)!.home)
  })
  return places.join('')
}

function rebalance(
  allocations: ReadonlyMap<NodeId, readonly ShardId[]>,
  options: { readonly rebalanceLimit?: number; readonly inProgress?: readonly ShardId[] } = {},
): readonly ShardId[] {
  const { inProgress = [], ...limit } = options
  const strategy = new ConsistentHashingAllocationStrategy({ nameOf, ...limit })
  const cluster = viewOf([...allocations.keys()])
  return strategy.rebalance({ allocations, inProgress: new Set(inProgress), cluster })
}

describe('SH-024 consistent hashing (V-03)', () => {
  test.each([
    ['', -1632357289],
    ['0', 2140816887],
    ['1', -1200748105],
    ['2', -973051564],
    ['10', 675076006],
    ['abc', 1278909957],
    ['shard-17', 476481516],
    ['pekko://myapp@127.0.0.1:252525', 763651916],
    ['pekko://myapp@127.0.0.2:252525', 1966471291],
    ['pekko://myapp@127.0.0.3:252525', -852485632],
    ['pekko://myapp@127.0.0.4:252525', -1167467585],
  ])('the hash of "%s" is %i', (text, hash) => {
    expect(ringHash(text)).toBe(hash)
  })

  test('places shards exactly as the table says, with and without the third and the fourth node', () => {
    expect(placesOn([a, b, c])).toBe('CBAACBBBCBACAAACBCCA')
    expect(placesOn([a, b])).toBe('ABAAABBBBBAAAAAABABA')
    expect(placesOn([a, b, c, d])).toBe('DBAACDBBCDADAAACBCDA')
  })

  test('places shards of three nodes on one host, and splits a thousand as the table says', () => {
    const nodes = [2551, 2552, 2553].map((port) => nodeIdOf(`127.0.0.1:${port}`, 1n))
    const ring = new HashRing(nodes, (node) => `pekko://ClusterSystem@${addressOfNode(node)}`)
    const portOf = (shard: number): number =>
      2551 + nodes.indexOf(ring.nodeOf(String(shard)) as NodeId)
    const first = Array.from({ length: 10 }, (_, shard) => portOf(shard))
    expect(first).toEqual([2553, 2552, 2551, 2553, 2553, 2551, 2552, 2552, 2553, 2552])
    const counts = [0, 0, 0]
    for (let shard = 0; shard < 1_000; shard++) counts[portOf(shard) - 2551]!++
    expect(counts).toEqual([397, 228, 375])
  })

  test('moves only what stands on another node than the ring says, in any order of the regions', () => {
    expect(
      rebalance(
        new Map([
          [a, [2, 10]],
          [b, [1]],
          [c, [0]],
        ]),
      ),
    ).toEqual([])
    const four: [NodeId, ShardId[]][] = [
      [a, [2, 3, 10, 14]],
      [b, [1]],
      [c, [0]],
      [d, []],
    ]
    expect(rebalance(new Map(four))).toEqual([0])
    expect(rebalance(new Map(four.toReversed()))).toEqual([0])
  })

  test('moves at most as many as the limit, those that move already counted', () => {
    const all = new Map<NodeId, ShardId[]>([
      [a, [0, 1, 2, 3, 10, 14]],
      [b, []],
      [c, []],
      [d, []],
    ])
    const limit = { rebalanceLimit: 2 }
    expect(rebalance(all, limit)).toEqual([0, 1])
    expect(rebalance(all, { ...limit, inProgress: [0, 1] })).toEqual([])
    expect(rebalance(all, { ...limit, inProgress: [0, 1, 2, 3] })).toEqual([])
    const rest: [NodeId, ShardId[]][] = [
      [a, [2, 3, 10, 14]],
      [b, [1]],
    ]
    expect(rebalance(new Map([...rest, [c, [0]], [d, []]]), limit)).toEqual([0])
    expect(rebalance(new Map([...rest, [c, []], [d, [0]]]), limit)).toEqual([])
  })

  test('says why, and has no home where nobody is', () => {
    const strategy = new ConsistentHashingAllocationStrategy()
    const request = { shard: 1, requester: undefined, cluster: viewOf([a]) }
    expect(strategy.allocateShard({ ...request, allocations: new Map([[a, []]]) })).toEqual({
      home: a,
      why: 'The hash of its number leads there, in a ring of 1 node.',
    })
    expect(strategy.allocateShard({ ...request, allocations: new Map() })).toBeUndefined()
  })

  test.each([
    [{ rebalanceLimit: -1 }],
    [{ rebalanceLimit: 1.5 }],
    [{ limit: 1 }],
    [{ nameOf: 'a' }],
  ])('refuses %j', (options) => {
    expect(() => new ConsistentHashingAllocationStrategy(options as object)).toThrow(
      'The allocation strategy cannot be used',
    )
  })
})
