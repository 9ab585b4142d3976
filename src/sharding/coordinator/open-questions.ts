/**
 * What the coordinator has asked its strategy, and when it may ask again. At most one question about homes is open. What
 * the strategy had no answer for is asked again at the next retry or when regions change.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ReportedLoads } from '../allocation/reported-loads.ts'
import type { Allocations, ClusterView } from '../allocation/shard-allocation-strategy.ts'
import type { StrategyAnswer } from '../allocation/strategy-questions.ts'
import type { ShardId } from '../shard-id.ts'
import type { Announcements } from './announcements.ts'
import type { CoordinatorEffect } from './coordinator-inputs.ts'
import type { CoordinatorEvent, CoordinatorState } from './coordinator-state.ts'

export interface OpenQuestionsOptions {
  readonly state: CoordinatorState
  readonly announcements: Announcements
  /** Whether a region may be given a shard. */
  readonly isEligible: (region: NodeId) => boolean
  readonly loads: ReportedLoads
  /** Whether shards get a home only when somebody asks for it. */
  readonly isPreparing?: () => boolean
}

export class OpenQuestions {
  readonly #state: CoordinatorState
  readonly #announcements: Announcements
  readonly #isEligible: (region: NodeId) => boolean
  readonly #loads: ReportedLoads
  readonly #isPreparing: () => boolean
  #lastAsk = 0
  #allocation: number | undefined
  #rebalance: number | undefined
  /** Shards for which the strategy had no answer. */
  readonly #unanswered = new Set<ShardId>()

  constructor({ state, announcements, isEligible, loads, isPreparing }: OpenQuestionsOptions) {
    this.#isPreparing = isPreparing ?? (() => false)
    this.#state = state
    this.#announcements = announcements
    this.#isEligible = isEligible
    this.#loads = loads
  }

  /** Asks for homes for all shards that want one; nothing when there are none, or nowhere to put them. */
  allocate(cluster: ClusterView): CoordinatorEffect[] {
    if (this.#allocation !== undefined) return []
    const wanted = this.#wanted()
    const regions = this.#state.hosts.filter((region) => this.#isEligible(region))
    if (wanted.length === 0 || regions.length === 0) return []
    const shards = wanted.map((shard) => {
      // Asked once until something changes, or a strategy without an answer would be asked for ever.
      this.#unanswered.add(shard)
      return { shard, requester: this.#announcements.askerOf(shard) }
    })
    const allocations = this.#allocations(regions)
    this.#allocation = ++this.#lastAsk
    const question = { type: 'Allocate', shards, allocations, cluster, ...this.#known() } as const
    return [{ type: 'AskStrategy', ask: this.#allocation, question }]
  }

  rebalance(inProgress: ReadonlySet<ShardId>, cluster: ClusterView): CoordinatorEffect {
    this.#rebalance = ++this.#lastAsk
    const { hosts } = this.#state
    const question = {
      ...({ type: 'Rebalance', allocations: this.#allocations(hosts), inProgress } as const),
      ...{ cluster: this.#seen(cluster, hosts), ...this.#known() },
    }
    return { type: 'AskStrategy', ask: this.#rebalance, question }
  }

  /** Whether this answers the open question; the question is then closed. */
  isAwaited(ask: number, type: StrategyAnswer['type']): boolean {
    if (type === 'Allocate') {
      if (ask !== this.#allocation) return false
      this.#allocation = undefined
    } else {
      if (ask !== this.#rebalance) return false
      this.#rebalance = undefined
    }
    return true
  }

  /** The answer as events; the world may have moved on while the strategy thought. */
  allocated({ homes, whys }: Extract<StrategyAnswer, { type: 'Allocate' }>): CoordinatorEvent[] {
    let epoch = this.#state.lastEpoch
    const events: CoordinatorEvent[] = []
    for (const [shard, home] of homes) {
      if (!this.#isEligible(home) || this.#state.homeOf(shard) !== undefined) continue
      const why = whys?.get(shard)
      const reason = why === undefined ? {} : { why }
      events.push({ type: 'ShardAllocated', shard, home, epoch: ++epoch, ...reason })
    }
    return events
  }

  /** The state is about to change: the open question was about the old one. */
  forgetAllocation(): void {
    this.#allocation = undefined
    this.#unanswered.clear()
  }

  /** Asks again for what had no answer. */
  askAnew(): void {
    if (this.#allocation === undefined) this.#unanswered.clear()
  }

  #wanted(): ShardId[] {
    const wanted = new Set(this.#isPreparing() ? [] : this.#state.homeless)
    for (const shard of this.#announcements.asked) {
      if (this.#state.homeOf(shard) === undefined) wanted.add(shard)
    }
    return [...wanted].filter((shard) => !this.#unanswered.has(shard))
  }

  /** One that gets no shard any more is on its way out, also when the cluster has not heard so: nobody should count on it. */
  #seen(cluster: ClusterView, hosts: readonly NodeId[]): ClusterView {
    const leaving = hosts.filter(
      (region) => cluster.members.get(region) === 'Up' && !this.#isEligible(region),
    )
    if (leaving.length === 0) return cluster
    const members = new Map(cluster.members)
    for (const region of leaving) members.set(region, 'Leaving')
    return { ...cluster, members }
  }

  #known() {
    const loads = this.#loads.known
    return loads === undefined ? {} : { loads }
  }

  #allocations(regions: readonly NodeId[]): Allocations {
    return new Map(regions.map((region) => [region, this.#state.shardsOf(region)]))
  }
}
