/** Places shards by a ring of the nodes: the same number goes to the same node for every entity type that does so. */
import {
  InvalidSettings,
  maybe,
  mustBe,
  problemsWithOptions,
} from '../../foundation/invalid-settings.ts'
import { addressOfNode, compareNodes, type NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import { HashRing } from './hash-ring.ts'
import { bestOf, candidatesOf, isGoodTime, nodesInWords } from './region-candidate.ts'
import type {
  AllocationRequest,
  ExplainedHome,
  RebalanceRequest,
  ShardAllocationStrategy,
} from './shard-allocation-strategy.ts'

export interface ConsistentHashingOptions {
  /** Shards moved at once, at most. 0, and when not given: all that stand on another node than the ring says. */
  readonly rebalanceLimit?: number
  /**
   * What is hashed of a node: its address, `host:port`, when not given. Who comes from another implementation gives the whole
   * address by which the node was known there, to keep the same places.
   */
  readonly nameOf?: (node: NodeId) => string
}

const checks = {
  rebalanceLimit: maybe(
    mustBe(
      'a whole number, 0 for no limit',
      (given) => Number.isSafeInteger(given) && (given as number) >= 0,
    ),
  ),
  nameOf: maybe(mustBe('a function', (given) => typeof given === 'function')),
}

/**
 * Choose it when entities of several types talk to each other: give all of them this strategy, the same number of shards and
 * ids of the same shard, and they live on the same node, as long as nothing moves. It cannot be even: some nodes get twice
 * the shards of others, and the fewer nodes there are, the more they differ.
 */
export class ConsistentHashingAllocationStrategy implements ShardAllocationStrategy {
  /** A shard that was moved stands where the ring says. */
  readonly settles = true
  readonly #limit: number
  readonly #nameOf: (node: NodeId) => string
  #nodes: readonly NodeId[] = []
  #ring: HashRing

  /** Throws `InvalidSettings`. */
  constructor(options: ConsistentHashingOptions = {}) {
    const problems = problemsWithOptions(options, checks)
    if (problems.length > 0) throw new InvalidSettings('The allocation strategy', problems)
    this.#limit = options.rebalanceLimit || Infinity
    this.#nameOf = options.nameOf ?? addressOfNode
    this.#ring = new HashRing([], this.#nameOf)
  }

  allocateShard({ shard, allocations, cluster }: AllocationRequest): ExplainedHome | undefined {
    const candidates = candidatesOf(allocations, cluster)
    const best = bestOf(candidates)
    const home = this.#ringOf(best.map(({ node }) => node)).nodeOf(String(shard))
    if (home === undefined) return undefined
    const nodes = nodesInWords(best, candidates)
    return { home, why: `The hash of its number leads there, in a ring of ${nodes}.` }
  }

  rebalance({ allocations, inProgress, cluster }: RebalanceRequest): readonly ShardId[] {
    const candidates = candidatesOf(allocations, cluster)
    const room = this.#limit - inProgress.size
    if (room <= 0 || !isGoodTime(candidates, cluster)) return []
    const ring = this.#ringOf(bestOf(candidates).map(({ node }) => node))
    const misplaced: ShardId[] = []
    for (const { node, shards } of candidates.sort((a, b) => compareNodes(a.node, b.node))) {
      for (const shard of shards) {
        if (inProgress.has(shard) || ring.nodeOf(String(shard)) === node) continue
        misplaced.push(shard)
        if (misplaced.length >= room) return misplaced
      }
    }
    return misplaced
  }

  /** Made anew only when others are in it. */
  #ringOf(nodes: readonly NodeId[]): HashRing {
    const sorted = nodes.toSorted(compareNodes)
    const isSame =
      sorted.length === this.#nodes.length &&
      sorted.every((node, index) => node === this.#nodes[index])
    if (isSame) return this.#ring
    this.#nodes = sorted
    this.#ring = new HashRing(sorted, this.#nameOf)
    return this.#ring
  }
}
