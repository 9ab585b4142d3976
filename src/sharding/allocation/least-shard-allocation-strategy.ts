/**
 * Gives every new shard to the region that has the fewest, and evens the regions out in at most two rounds: first whoever
 * has more than the optimum gives the excess, then, if someone still lacks more than one, single shards are given.
 */
import type { ShardId } from '../shard-id.ts'
import {
  bestOf,
  bySuitability,
  candidatesOf,
  isGoodTime,
  nodesInWords,
  type RegionCandidate,
} from './region-candidate.ts'
import type {
  AllocationRequest,
  ExplainedHome,
  RebalanceRequest,
  ShardAllocationStrategy,
} from './shard-allocation-strategy.ts'

export interface LeastShardOptions {
  /** Shards moved in one round, at most. */
  readonly shardsMax: number
  /** Fraction of all shards moved in one round, at most. */
  readonly shareMax: number
}

/**
 * The default. Choose it when shards are much alike: with many entities per shard they are. It counts shards and nothing else:
 * a node with a few hot ones keeps them (see `LoadAwareAllocationStrategy`), and what belongs together need not be together.
 */
export class LeastShardAllocationStrategy implements ShardAllocationStrategy {
  /** At most two rounds lead to the optimum, or as many more as the limits ask for; then it answers nothing. */
  readonly settles = true
  readonly #options: LeastShardOptions

  constructor(options: LeastShardOptions) {
    this.#options = options
  }

  allocateShard({ allocations, cluster }: AllocationRequest): ExplainedHome | undefined {
    return fewestShards(candidatesOf(allocations, cluster))
  }

  rebalance({ allocations, inProgress, cluster }: RebalanceRequest): readonly ShardId[] {
    // One round at a time: what moves now would be counted at its old home.
    if (inProgress.size > 0) return []
    const all = candidatesOf(allocations, cluster)
    if (!isGoodTime(all, cluster)) return []
    // Those that leave give their shards anyway, and take none.
    const regions = all.filter(({ isLeaving }) => !isLeaving).sort(bySuitability)
    const total = all.reduce((sum, { shards }) => sum + shards.length, 0)
    if (total === 0 || regions.length === 0) return []
    const { shardsMax, shareMax } = this.#options
    const limit = Math.max(1, Math.min(Math.floor(shareMax * total), shardsMax))
    const optimal = Math.ceil(total / regions.length)
    const excess = regions.flatMap(({ shards }) =>
      shards.slice(0, Math.max(0, shards.length - optimal)),
    )
    return excess.length > 0 ? excess.slice(0, limit) : lastRound(regions, optimal, limit)
  }
}

/** The most suitable region; undefined when there is none. */
export function fewestShards(candidates: readonly RegionCandidate[]): ExplainedHome | undefined {
  const best = bestOf(candidates)
  let fewest: RegionCandidate | undefined
  for (const region of best) {
    if (fewest === undefined || bySuitability(region, fewest) < 0) fewest = region
  }
  if (fewest === undefined) return undefined
  const nodes = nodesInWords(best, candidates)
  return {
    home: fewest.node,
    why: `It had the fewest shards, ${fewest.shards.length}, of ${nodes}.`,
  }
}

function lastRound(
  regions: readonly RegionCandidate[],
  optimal: number,
  limit: number,
): readonly ShardId[] {
  const lacking = regions.reduce(
    (sum, { shards }) => sum + Math.max(0, optimal - 1 - shards.length),
    0,
  )
  return regions
    .filter(({ shards }) => shards.length >= optimal)
    .flatMap(({ shards }) => shards.slice(0, 1))
    .slice(0, Math.min(lacking, limit))
}
