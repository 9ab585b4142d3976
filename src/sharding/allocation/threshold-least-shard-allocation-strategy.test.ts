import { describe, expect, test } from 'vitest'
import type { MemberStatus } from '../../cluster/index.ts'
import { type NodeId, nodeIdOf } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import { ThresholdLeastShardAllocationStrategy } from './threshold-least-shard-allocation-strategy.ts'

const regions = [1, 2, 3].map((host) => nodeIdOf(`127.0.0.${host}:2552`, 1n))
const cluster = {
  members: new Map<NodeId, MemberStatus>(regions.map((node) => [node, 'Up'])),
  unreachable: new Set<NodeId>(),
}

/** Shards 1, 2, … handed out in order: the first region gets the first ones. */
function allocate(counts: readonly number[]): Map<NodeId, ShardId[]> {
  let next = 1
  return new Map(
    counts.map((count, index) => [regions[index]!, Array.from({ length: count }, () => next++)]),
  )
}

/** Threshold, simultaneous, counts, and per set of shards in progress what is chosen. */
type Row = [number, number, readonly number[], readonly (readonly [ShardId[], ShardId[]])[]]

describe('SH-022 the threshold form of least-shard (V-02)', () => {
  test.each<Row>([
    [
      1,
      10,
      [2, 0, 0],
      [
        [[], [1]],
        [[1], []],
      ],
    ],
    [1, 10, [1, 1, 0], [[[], []]]],
    [
      1,
      10,
      [1, 2, 0],
      [
        [[], [2]],
        [[2], []],
      ],
    ],
    [
      1,
      10,
      [3, 0, 0],
      [
        [[], [1]],
        [[1], [2]],
      ],
    ],
    [
      1,
      10,
      [4, 4, 0],
      [
        [[], [1]],
        [[1], [5]],
      ],
    ],
    [
      1,
      10,
      [4, 4, 2],
      [
        [[], [1]],
        [[1], [5]],
      ],
    ],
    [2, 10, [1, 2, 0], [[[], []]]],
    [
      2,
      10,
      [1, 3, 0],
      [
        [[], [2]],
        [[2], []],
      ],
    ],
    [2, 10, [2, 2, 0], [[[], []]]],
    [
      2,
      10,
      [3, 3, 0],
      [
        [[], [1]],
        [[1], [4]],
        [[1, 4], []],
      ],
    ],
    [
      2,
      10,
      [4, 4, 0],
      [
        [[], [1, 2]],
        [
          [1, 2],
          [5, 6],
        ],
        [[1, 2, 5, 6], []],
      ],
    ],
    [
      2,
      10,
      [5, 5, 0],
      [
        [[], [1, 2]],
        [
          [1, 2],
          [6, 7],
        ],
        [[1, 2, 6, 7], [3]],
      ],
    ],
    [
      2,
      100,
      [50, 0, 50],
      [
        [[], [1, 2]],
        [
          [1, 2],
          [51, 52],
        ],
        [
          [1, 2, 51, 52],
          [3, 4],
        ],
      ],
    ],
    [
      3,
      2,
      [1, 10, 0],
      [
        [[], [2, 3]],
        [[2, 3], []],
      ],
    ],
    [
      3,
      4,
      [10, 0, 0],
      [
        [
          [2, 3],
          [1, 4],
        ],
      ],
    ],
  ])('threshold %i, at most %i at once, from %j', (threshold, most, counts, steps) => {
    const strategy = new ThresholdLeastShardAllocationStrategy({
      rebalanceThreshold: threshold,
      maxSimultaneousRebalance: most,
    })
    for (const [inProgress, chosen] of steps) {
      const request = { allocations: allocate(counts), inProgress: new Set(inProgress), cluster }
      expect(strategy.rebalance(request)).toEqual(chosen)
    }
  })

  test('gives a new shard to the region with the fewest, and says so', () => {
    const strategy = new ThresholdLeastShardAllocationStrategy()
    const allocations = allocate([1, 1, 0])
    expect(
      strategy.allocateShard({ shard: 9, requester: undefined, allocations, cluster }),
    ).toEqual({
      home: regions[2],
      why: 'It had the fewest shards, 0, of 3 nodes.',
    })
  })

  test.each([
    [{ rebalanceThreshold: 0 }, 'rebalanceThreshold must be a whole number of at least 1, not 0'],
    [{ maxSimultaneousRebalance: 1.5 }, 'maxSimultaneousRebalance must be a whole number'],
    [{ threshold: 1 }, 'threshold is not an option'],
  ])('refuses %j', (options, problem) => {
    expect(() => new ThresholdLeastShardAllocationStrategy(options as object)).toThrow(problem)
  })
})
