/**
 * Evens out what nodes have to do rather than how many shards they have. Loads are what regions report; a shard without a
 * report counts as the mean one.
 *
 * Invariant: a shard is chosen from the busiest node only where the one that gets it stays less busy than that was, by a margin.
 * So under a steady load the sum of the squares of all loads falls with every move, and moves come to an end.
 */
import {
  InvalidSettings,
  maybe,
  mustBe,
  problemsWithOptions,
} from '../../foundation/invalid-settings.ts'
import { compareNodes } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import { LeastShardAllocationStrategy } from './least-shard-allocation-strategy.ts'
import {
  bestOf,
  candidatesOf,
  isGoodTime,
  nodesInWords,
  type RegionCandidate,
} from './region-candidate.ts'
import type {
  AllocationRequest,
  ExplainedHome,
  KnownLoads,
  RebalanceRequest,
  ShardAllocationStrategy,
  ShardLoad,
} from './shard-allocation-strategy.ts'

export interface LoadAwareOptions {
  /** Shards moved in one round, at most. 5 when not given: what has moved is measured before more does. */
  readonly shardsMax?: number
  /**
   * A node gives shards only when it has to do so much more than the mean, as a fraction of it, and only such as leave the node
   * that gets them less busy by as much. 0.2 when not given. Lower is more even, and moves shards for what is noise.
   */
  readonly marginMin?: number
  /** What a load costs, as a number from 0 on: messages and kilobytes per second together when not given. */
  readonly costOf?: (load: ShardLoad) => number
}

const checks = {
  shardsMax: maybe(
    mustBe(
      'a whole number of at least 1',
      (given) => Number.isSafeInteger(given) && (given as number) >= 1,
    ),
  ),
  marginMin: maybe(
    mustBe(
      'above 0 and at most 1',
      (given) => typeof given === 'number' && given > 0 && given <= 1,
    ),
  ),
  costOf: maybe(mustBe('a function', (given) => typeof given === 'function')),
}

/** What an idle shard costs, as a fraction of the mean one: it has entities in memory, and may wake. */
const idleShare = 0.05

/**
 * Choose it when a few shards have much more to do than others, and so long that moving them pays. It cannot split a shard: one
 * that is too hot for a node stays too hot. It knows messages and bytes, not how long commands take; while nothing is
 * reported it does what `LeastShardAllocationStrategy` does. Regions of the type count messages for it.
 */
export class LoadAwareAllocationStrategy implements ShardAllocationStrategy {
  readonly usesLoads = true
  readonly #shardsMax: number
  readonly #marginMin: number
  readonly #costOf: (load: ShardLoad) => number
  readonly #withoutLoads: LeastShardAllocationStrategy
  #costs: Costs | undefined

  /** Throws `InvalidSettings`. */
  constructor(options: LoadAwareOptions = {}) {
    const problems = problemsWithOptions(options, checks)
    if (problems.length > 0) throw new InvalidSettings('The allocation strategy', problems)
    this.#shardsMax = options.shardsMax ?? 5
    this.#marginMin = options.marginMin ?? 0.2
    this.#costOf = options.costOf ?? messagesAndKilobytes
    this.#withoutLoads = new LeastShardAllocationStrategy({
      shardsMax: this.#shardsMax,
      shareMax: 1,
    })
  }

  allocateShard(request: AllocationRequest): ExplainedHome | undefined {
    const { allocations, cluster, loads } = request
    const costs = this.#costsOf(loads)
    if (costs === undefined) return this.#withoutLoads.allocateShard(request)
    const candidates = candidatesOf(allocations, cluster)
    const best = bestOf(candidates)
    const [least] = best
      .map((region) => ({ region, cost: costs.ofAll(region.shards) }))
      .sort((a, b) => a.cost - b.cost || byCount(a.region, b.region))
    if (least === undefined) return undefined
    const why = `It had the least to do, ${inWords(least.cost)} a second, of ${nodesInWords(best, candidates)}.`
    return { home: least.region.node, why }
  }

  rebalance(request: RebalanceRequest): readonly ShardId[] {
    const { allocations, inProgress, cluster, loads } = request
    const costs = this.#costsOf(loads)
    if (costs === undefined) return this.#withoutLoads.rebalance(request)
    const candidates = candidatesOf(allocations, cluster)
    // One round at a time: what moves now would be counted at its old home.
    if (inProgress.size > 0 || !isGoodTime(candidates, cluster)) return []
    const staying = candidates.filter(({ isLeaving }) => !isLeaving)
    return this.#chosen(staying, costs)
  }

  #chosen(staying: readonly RegionCandidate[], costs: Costs): readonly ShardId[] {
    const nodes = staying.map(({ node, shards }) => ({ node, shards, cost: costs.ofAll(shards) }))
    if (nodes.length < 2) return []
    const mean = nodes.reduce((sum, { cost }) => sum + cost, 0) / nodes.length
    const margin = mean * this.#marginMin
    const chosen = new Set<ShardId>()
    while (chosen.size < this.#shardsMax) {
      nodes.sort((a, b) => b.cost - a.cost || compareNodes(a.node, b.node))
      const busiest = nodes[0]!
      const idlest = nodes.at(-1)!
      // Once it has begun it goes further than it must, or the next noise would begin it again.
      if (busiest.cost <= mean + (chosen.size === 0 ? margin : margin / 2)) break
      const left = busiest.shards.filter((each) => !chosen.has(each))
      const shard = bestToMove(left, busiest.cost - idlest.cost, { margin, costs })
      if (shard === undefined) break
      chosen.add(shard)
      busiest.cost -= costs.of(shard)
      idlest.cost += costs.of(shard)
    }
    return [...chosen]
  }

  /** undefined while nobody has anything to do. Kept as long as the reports are the same: a question may be about thousands. */
  #costsOf(loads: KnownLoads | undefined): Costs | undefined {
    if (loads === undefined || loads.size === 0) return undefined
    if (this.#costs?.loads !== loads) this.#costs = new Costs(loads, this.#costOf)
    return this.#costs.isIdle ? undefined : this.#costs
  }
}

/** What shards cost by one set of loads. */
class Costs {
  readonly loads: KnownLoads
  readonly isIdle: boolean
  readonly #costs = new Map<ShardId, number>()
  readonly #unknown: number
  /** Sums of lists that only ever grow, as far as they were summed up. */
  readonly #sums = new WeakMap<readonly ShardId[], { count: number; sum: number }>()

  constructor(loads: KnownLoads, costOf: (load: ShardLoad) => number) {
    this.loads = loads
    let total = 0
    for (const [shard, load] of loads) {
      const cost = costOf(load)
      // Whatever a function of the user's answers: nothing can be compared with NaN.
      const counted = cost > 0 && cost < Infinity ? cost : 0
      this.#costs.set(shard, counted)
      total += counted
    }
    const mean = total / loads.size
    this.isIdle = mean === 0
    for (const [shard, cost] of this.#costs) this.#costs.set(shard, cost + mean * idleShare)
    this.#unknown = mean * (1 + idleShare)
  }

  of(shard: ShardId): number {
    return this.#costs.get(shard) ?? this.#unknown
  }

  ofAll(shards: readonly ShardId[]): number {
    let known = this.#sums.get(shards)
    if (known === undefined || known.count > shards.length) {
      this.#sums.set(shards, (known = { count: 0, sum: 0 }))
    }
    for (; known.count < shards.length; known.count++) known.sum += this.of(shards[known.count]!)
    return known.sum
  }
}

function messagesAndKilobytes({ messagesPerSecond, bytesPerSecond }: ShardLoad): number {
  return messagesPerSecond + bytesPerSecond / 1_000
}

/** Of two that have as much to do. */
function byCount(a: RegionCandidate, b: RegionCandidate): number {
  return a.shards.length - b.shards.length || compareNodes(a.node, b.node)
}

/** The one that makes two nodes most alike, whose loads differ by so much, and the other not as busy as the first was. */
function bestToMove(
  shards: readonly ShardId[],
  difference: number,
  { margin, costs }: { readonly margin: number; readonly costs: Costs },
): ShardId | undefined {
  let found: ShardId | undefined
  let left = Infinity
  for (const shard of shards) {
    const cost = costs.of(shard)
    const off = Math.abs(difference - 2 * cost)
    if (cost <= 0 || cost > difference - margin || off >= left) continue
    found = shard
    left = off
  }
  return found
}

function inWords(cost: number): string {
  return cost < 10 ? cost.toFixed(1) : cost.toFixed(0)
}
