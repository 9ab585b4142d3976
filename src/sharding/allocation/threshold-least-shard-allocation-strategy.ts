/**
 * The older form of least-shard: a region gives shards only when it has more than `rebalanceThreshold` more than the one with
 * the fewest, and never more than that many at a time.
 */
import {
  InvalidSettings,
  maybe,
  mustBe,
  problemsWithOptions,
} from '../../foundation/invalid-settings.ts'
import type { ShardId } from '../shard-id.ts'
import { fewestShards } from './least-shard-allocation-strategy.ts'
import { bySuitability, candidatesOf, isGoodTime } from './region-candidate.ts'
import type {
  AllocationRequest,
  ExplainedHome,
  RebalanceRequest,
  ShardAllocationStrategy,
} from './shard-allocation-strategy.ts'

export interface ThresholdLeastShardOptions {
  /**
   * A region with more shards than the one with the fewest gives some only when it has more than so many more; also how many
   * are chosen at one look. 1 when not given: the most even, and the most moves.
   */
  readonly rebalanceThreshold?: number
  /** Shards under way at once, at most. 3 when not given. */
  readonly maxSimultaneousRebalance?: number
}

const isCount = (given: unknown): boolean => Number.isSafeInteger(given) && (given as number) >= 1
const countCheck = maybe(mustBe('a whole number of at least 1', isCount))

/**
 * Choose it for clusters that were tuned by these two numbers, and want the same moves. It looks at one region at a time, at
 * every `rebalanceIntervalMs`, so it takes many rounds where `LeastShardAllocationStrategy` takes two.
 */
export class ThresholdLeastShardAllocationStrategy implements ShardAllocationStrategy {
  readonly #threshold: number
  readonly #simultaneousMax: number

  /** Throws `InvalidSettings`. */
  constructor(options: ThresholdLeastShardOptions = {}) {
    const problems = problemsWithOptions(options, {
      rebalanceThreshold: countCheck,
      maxSimultaneousRebalance: countCheck,
    })
    if (problems.length > 0) throw new InvalidSettings('The allocation strategy', problems)
    this.#threshold = options.rebalanceThreshold ?? 1
    this.#simultaneousMax = options.maxSimultaneousRebalance ?? 3
  }

  allocateShard({ allocations, cluster }: AllocationRequest): ExplainedHome | undefined {
    return fewestShards(candidatesOf(allocations, cluster))
  }

  rebalance({ allocations, inProgress, cluster }: RebalanceRequest): readonly ShardId[] {
    const room = this.#simultaneousMax - inProgress.size
    const regions = candidatesOf(allocations, cluster)
    if (room <= 0 || !isGoodTime(regions, cluster)) return []
    const fewest = regions.toSorted(bySuitability)[0]?.shards.length ?? 0
    let most: readonly ShardId[] = []
    for (const { shards } of regions) {
      const staying = shards.filter((shard) => !inProgress.has(shard))
      if (staying.length > most.length) most = staying
    }
    const excess = most.length - fewest - this.#threshold
    if (excess <= 0) return []
    const byNumber = most.toSorted((a, b) => a - b)
    return byNumber.slice(0, Math.min(excess, this.#threshold, room))
  }
}
