/**
 * What the coordinator has learned and not stored yet: who wants in, who is gone, which lives of shards have ended. Each
 * batch of events is computed from the state as it is then.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { CoordinatorEvent, CoordinatorState, RegionRegistered } from './coordinator-state.ts'

export class PendingChanges {
  readonly #state: CoordinatorState
  readonly #registering = new Map<NodeId, RegionRegistered>()
  readonly #dying = new Set<NodeId>()
  /** The epoch that ended. */
  readonly #ended = new Map<ShardId, number>()
  /** Regions that said goodbye while their nodes stay: a late `Register` must not bring them back. */
  readonly #departed = new Set<NodeId>()

  constructor(state: CoordinatorState) {
    this.#state = state
  }

  register(event: RegionRegistered): void {
    this.#registering.set(event.region, event)
  }

  /** False when it was known. */
  die(region: NodeId): boolean {
    this.#registering.delete(region)
    if (this.#dying.has(region)) return false
    this.#dying.add(region)
    return true
  }

  depart(region: NodeId): void {
    this.#departed.add(region)
  }

  end(shard: ShardId, epoch: number): void {
    this.#ended.set(shard, epoch)
  }

  isRegistering(region: NodeId): boolean {
    return this.#registering.has(region)
  }

  isDying(region: NodeId): boolean {
    return this.#dying.has(region)
  }

  /** Registered, and not known to be dead. */
  liveRegions(): NodeId[] {
    return [...this.#state.regions].filter((region) => !this.#dying.has(region))
  }

  /** Whether a region may come in, or be heard again. */
  isWelcome(region: NodeId): boolean {
    return !this.#departed.has(region) && !this.#dying.has(region)
  }

  /** False when its present life is over, or its home is dead. */
  isAlive(shard: ShardId): boolean {
    const home = this.#state.homeOf(shard)
    return home !== undefined && !this.#ended.has(shard) && !this.#dying.has(home.region)
  }

  /** Regions that are known here and not among these members. */
  gone(members: { has(node: NodeId): boolean }): NodeId[] {
    const isGone = (region: NodeId) => !members.has(region)
    for (const region of [...this.#departed].filter(isGone)) this.#departed.delete(region)
    return [...this.#state.regions, ...this.#registering.keys()].filter(isGone)
  }

  /** All that can be stored now. */
  events(): CoordinatorEvent[] {
    const events: CoordinatorEvent[] = []
    for (const region of this.#dying) {
      if (this.#state.hasRegion(region)) events.push({ type: 'RegionTerminated', region })
      else this.#dying.delete(region)
    }
    events.push(...this.#registering.values())
    for (const [shard, epoch] of this.#ended) {
      const home = this.#state.homeOf(shard)
      if (home?.epoch !== epoch) this.#ended.delete(shard)
      // A dead region takes its shards with it.
      else if (!this.#dying.has(home.region)) {
        events.push({ type: 'ShardDeallocated', shard, epoch })
      }
    }
    return events
  }

  /** It is part of the state now. */
  applied(event: CoordinatorEvent): void {
    if (event.type === 'RegionRegistered') this.#registering.delete(event.region)
    else if (event.type === 'RegionTerminated') this.#dying.delete(event.region)
    else if (event.type === 'ShardDeallocated') this.#ended.delete(event.shard)
  }
}
