/**
 * Shards are where somebody outside says, such as a consumer of partitions that has one of them in memory: a shard with a place
 * goes there, also later when the place changes; one without goes to whoever asks for it first.
 */
import {
  InvalidSettings,
  maybe,
  mustBe,
  problemsWithOptions,
} from '../../foundation/invalid-settings.ts'
import { type Address, addressOfNode, type NodeId } from '../../foundation/node-id.ts'
import { assert } from '../../foundation/assert.ts'
import type { ShardId } from '../shard-id.ts'
import { fewestShards } from './least-shard-allocation-strategy.ts'
import { candidatesOf } from './region-candidate.ts'
import type {
  AllocationRequest,
  Allocations,
  ExplainedHome,
  RebalanceRequest,
  ShardAllocationStrategy,
  StrategyContext,
} from './shard-allocation-strategy.ts'
import { ShardLocationRegister } from './shard-locations.ts'

export interface ExternalShardAllocationOptions {
  /**
   * How long the store may take to say where a shard should be; then it goes to whoever asked, and nothing moves. 2 s when not
   * given; less than `strategyTimeoutMs`, or the default strategy decides before.
   */
  readonly timeoutMs?: number
}

const checks = {
  timeoutMs: maybe(
    mustBe(
      'a positive number of milliseconds',
      (given) => typeof given === 'number' && given > 0 && given < Infinity,
    ),
  ),
}

type Locations = ReadonlyMap<ShardId, Address>

/**
 * Choose it when what an entity needs is on a certain node, and something else than this cluster says on which: then say so by
 * `sharding.externalShardAllocation(entityType)`, on any node. It balances nothing: shards without a place stay where they were
 * first asked for. The store must have registers, as the ones of this package do; about 15,000 places fit per type.
 */
export class ExternalShardAllocationStrategy implements ShardAllocationStrategy {
  /** How long the store may take. */
  readonly timeoutMs: number
  #context: StrategyContext | undefined
  #register: ShardLocationRegister | undefined
  /** One question reads once, however many shards it is about. */
  #asked:
    | { readonly about: Allocations; readonly answer: Promise<Locations | undefined> }
    | undefined

  /** Throws `InvalidSettings`. */
  constructor(options: ExternalShardAllocationOptions = {}) {
    const problems = problemsWithOptions(options, checks)
    if (problems.length > 0) throw new InvalidSettings('The allocation strategy', problems)
    this.timeoutMs = options.timeoutMs ?? 2_000
  }

  /** Throws `StoreCannot` where the store has no registers. */
  start(context: StrategyContext): void {
    this.#register = new ShardLocationRegister(context.journal, context.entityType)
    this.#context = context
  }

  async allocateShard(request: AllocationRequest): Promise<ExplainedHome | undefined> {
    const { shard, requester, allocations, cluster } = request
    const locations = await this.#locationsFor(allocations)
    const address = locations?.get(shard)
    const wanted = address === undefined ? undefined : regionAt(address, allocations)
    if (wanted !== undefined) return { home: wanted, why: `It was given the place ${address}.` }
    const missing =
      locations === undefined
        ? 'The store did not say in time where it should be'
        : address === undefined
          ? 'It has no place'
          : `Its place is ${address}, which does not host now`
    if (requester !== undefined && allocations.has(requester)) {
      return { home: requester, why: `${missing}, and this node asked first.` }
    }
    const fewest = fewestShards(candidatesOf(allocations, cluster))
    return fewest && { home: fewest.home, why: `${missing}. ${fewest.why}` }
  }

  async rebalance({
    allocations,
    inProgress,
    cluster,
  }: RebalanceRequest): Promise<readonly ShardId[]> {
    const locations = await this.#locationsFor(allocations)
    if (locations === undefined) return []
    const misplaced: ShardId[] = []
    for (const [node, shards] of allocations) {
      for (const shard of shards) {
        const address = locations.get(shard)
        if (address === undefined || address === addressOfNode(node) || inProgress.has(shard))
          continue
        const wanted = regionAt(address, allocations)
        // It waits for a node that is not there, and does not go to one that leaves.
        if (wanted !== undefined && cluster.members.get(wanted) === 'Up') misplaced.push(shard)
      }
    }
    return misplaced
  }

  /** undefined when the store does not say, or not in time. */
  #locationsFor(about: Allocations): Promise<Locations | undefined> {
    if (this.#asked?.about === about) return this.#asked.answer
    const answer = this.#read()
    this.#asked = { about, answer }
    return answer
  }

  #read(): Promise<Locations | undefined> {
    assert(
      this.#register !== undefined && this.#context !== undefined,
      'it is asked after its start',
    )
    const { environment } = this.#context
    const read = this.#register.read()
    return new Promise((resolve) => {
      const timer = environment.timers.after(this.timeoutMs, () => resolve(undefined))
      const done = (locations: Locations | undefined): void => {
        timer.cancel()
        resolve(locations)
      }
      read.then(
        ({ locations }) => done(locations),
        (err: unknown) => {
          const { entityType } = this.#context!
          environment.logger.warn(
            { err, entityType },
            `The places of the shards of ${entityType} cannot be read: shards stay where they are, and new ones go to whoever asks.`,
          )
          done(undefined)
        },
      )
    })
  }
}

/** By address: whoever comes back there is another node. */
function regionAt(address: Address, allocations: Allocations): NodeId | undefined {
  for (const node of allocations.keys()) if (addressOfNode(node) === address) return node
  return undefined
}
