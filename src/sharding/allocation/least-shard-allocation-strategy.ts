/**
 * Gives every new shard to the region that has the fewest, and evens the regions out in at most two rounds: first whoever
 * has more than the optimum gives the excess, then, if someone still lacks more than one, single shards are given.
 */
import { type NodeId, compareNodes } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type {
  AllocationRequest,
  Allocations,
  ClusterView,
  RebalanceRequest,
  ShardAllocationStrategy,
} from './shard-allocation-strategy.ts'

export interface LeastShardOptions {
  /** Shards moved in one round, at most. */
  readonly shardsMax: number
  /** Fraction of all shards moved in one round, at most. */
  readonly shareMax: number
}

interface Region {
  readonly node: NodeId
  readonly isLeaving: boolean
  readonly shards: readonly ShardId[]
}

export class LeastShardAllocationStrategy implements ShardAllocationStrategy {
  readonly #options: LeastShardOptions

  constructor(options: LeastShardOptions) {
    this.#options = options
  }

  allocateShard({ allocations, cluster }: AllocationRequest): NodeId | undefined {
    let best: Region | undefined
    for (const region of regionsOf(allocations, cluster)) {
      if (best === undefined || bySuitability(region, best) < 0) best = region
    }
    return best?.node
  }

  rebalance({ allocations, inProgress, cluster }: RebalanceRequest): readonly ShardId[] {
    // One round at a time: what moves now would be counted at its old home.
    if (inProgress.size > 0 || !isGoodTime(cluster)) return []
    const regions = regionsOf(allocations, cluster).sort(bySuitability)
    const total = regions.reduce((sum, { shards }) => sum + shards.length, 0)
    if (total === 0) return []
    const { shardsMax, shareMax } = this.#options
    const limit = Math.max(1, Math.min(Math.floor(shareMax * total), shardsMax))
    const optimal = Math.ceil(total / regions.length)
    const excess = regions.flatMap(({ shards }) =>
      shards.slice(0, Math.max(0, shards.length - optimal)),
    )
    return excess.length > 0 ? excess.slice(0, limit) : lastRound(regions, optimal, limit)
  }
}

/** Best first: not leaving, then fewer shards, then by address. A strict order, so that every node would agree. */
export function bySuitability(a: Region, b: Region): number {
  if (a.isLeaving !== b.isLeaving) return a.isLeaving ? 1 : -1
  return a.shards.length - b.shards.length || compareNodes(a.node, b.node)
}

/** Regions whose nodes are members; the view may be behind for the others. */
function regionsOf(allocations: Allocations, { members }: ClusterView): Region[] {
  const regions: Region[] = []
  for (const [node, shards] of allocations) {
    const status = members.get(node)
    if (status === undefined) continue
    regions.push({ node, isLeaving: status !== 'Up' && status !== 'Joining', shards })
  }
  return regions
}

/** While members come or cannot be reached, the optimum is about to change. */
function isGoodTime({ members, unreachable }: ClusterView): boolean {
  return unreachable.size === 0 && ![...members.values()].includes('Joining')
}

function lastRound(regions: readonly Region[], optimal: number, limit: number): readonly ShardId[] {
  const lacking = regions.reduce(
    (sum, { shards }) => sum + Math.max(0, optimal - 1 - shards.length),
    0,
  )
  return regions
    .filter(({ shards }) => shards.length >= optimal)
    .flatMap(({ shards }) => shards.slice(0, 1))
    .slice(0, Math.min(lacking, limit))
}
