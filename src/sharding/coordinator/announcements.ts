/**
 * What regions are told about homes: who waits for an answer, which homes have not confirmed, and how new each word is.
 * Nothing is told about a shard whose home may not be told; who asked then waits.
 */
import { assert } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { Placement, ShardStarted } from '../sharding-messages.ts'
import type { SendToRegion } from './coordinator-inputs.ts'
import type { CoordinatorState } from './coordinator-state.ts'

/** Keeps one message small enough for any frame. */
const homesPerMessageMax = 500

export interface AnnouncementsOptions {
  readonly state: CoordinatorState
  readonly term: number
  /** False while a shard moves, or when its home is gone. */
  readonly mayTell: (shard: ShardId) => boolean
  /** Whether this member is on its way out. */
  readonly isLeaving: (region: NodeId) => boolean
}

export class Announcements {
  readonly #state: CoordinatorState
  readonly #term: number
  readonly #mayTell: (shard: ShardId) => boolean
  readonly #isLeaving: (region: NodeId) => boolean
  readonly #askers = new Map<ShardId, Set<NodeId>>()
  /** The first that asked, of those that wait: others wait because they knew a home that is gone. */
  readonly #requesters = new Map<ShardId, NodeId>()
  readonly #turns = new Map<ShardId, number>()
  readonly #unconfirmed = new Set<ShardId>()
  /** Regions that were told all homes before they have registered with this coordinator. */
  readonly #greeted = new Set<NodeId>()
  #lastTurn = 0

  constructor({ state, term, mayTell, isLeaving }: AnnouncementsOptions) {
    this.#state = state
    this.#term = term
    this.#mayTell = mayTell
    this.#isLeaving = isLeaving
  }

  /** Shards that someone waits for. */
  get asked(): Iterable<ShardId> {
    return this.#askers.keys()
  }

  ask(shard: ShardId, region: NodeId): void {
    if (!this.#requesters.has(shard)) this.#requesters.set(shard, region)
    this.#wait(shard, region)
  }

  #wait(shard: ShardId, region: NodeId): void {
    const askers = this.#askers.get(shard)
    if (askers === undefined) this.#askers.set(shard, new Set([region]))
    else askers.add(region)
  }

  askerOf(shard: ShardId): NodeId | undefined {
    return this.#requesters.get(shard)
  }

  /** A new word about this shard: what was said before no longer counts. */
  renew(shard: ShardId): Placement {
    this.#turns.set(shard, ++this.#lastTurn)
    return this.#placementOf(shard)
  }

  /** Tells the home, and goes on telling it until it confirms; then answers everyone who waits. */
  announce(shard: ShardId): SendToRegion[] {
    if (!this.#mayTell(shard)) return []
    this.#unconfirmed.add(shard)
    // The home hears the same by HostShard.
    this.#askers.get(shard)?.delete(this.#placementOf(shard).home)
    return [...this.#tellHome(shard), ...this.answer(shard)]
  }

  /** Whatever was said before, possibly by another coordinator, is said anew to everyone it concerns. */
  announceAll(regions: Iterable<NodeId>): SendToRegion[] {
    const shards = [...this.#state.homes].map(([shard]) => shard)
    for (const shard of shards) {
      this.renew(shard)
      this.#unconfirmed.add(shard)
    }
    // They are confirmed when they have said who they are: they may have other settings than this node.
    const greetings = [...regions].flatMap((region) => {
      this.#greeted.add(region)
      const homes = this.#tellHomes(region)
      // At least that there is a new coordinator.
      return homes.length > 0 ? homes : [this.#homesTo(region, [])]
    })
    return [...greetings, ...shards.flatMap((shard) => this.announce(shard))]
  }

  confirmed({ shard, epoch, region }: ShardStarted): SendToRegion[] {
    const home = this.#state.homeOf(shard)
    if (home?.region !== region || home.epoch !== epoch) return []
    this.#unconfirmed.delete(shard)
    return this.answer(shard)
  }

  /** Tells homes that have not confirmed. */
  repeat(): SendToRegion[] {
    return [...this.#unconfirmed].flatMap((shard) => this.#tellHome(shard))
  }

  /** This life of the shard is over. */
  withdraw(shard: ShardId): void {
    this.#unconfirmed.delete(shard)
  }

  /** Their home died: everyone who knew it hears of the next one without asking, unless there shall be none. */
  orphan(shards: readonly ShardId[], areWanted = true): void {
    for (const shard of shards) {
      this.withdraw(shard)
      if (!areWanted) continue
      for (const region of this.#state.regions) this.#wait(shard, region)
    }
  }

  /** Answers everyone who waits for this shard, once. */
  answer(shard: ShardId): SendToRegion[] {
    const askers = this.#askers.get(shard)
    if (askers === undefined || !this.#mayTellOthers(shard)) return []
    this.#askers.delete(shard)
    this.#requesters.delete(shard)
    const message = { type: 'ShardHome', ...this.#placementOf(shard) } as const
    return [...askers]
      .filter((region) => this.#state.hasRegion(region))
      .map((to) => ({ type: 'Send', to, message }))
  }

  /** Confirms the registration and tells every home that may be told. */
  welcome(region: NodeId): SendToRegion[] {
    const message = { type: 'RegisterAck', term: this.#term } as const
    const homes = this.#greeted.delete(region) ? [] : this.#tellHomes(region)
    return [{ type: 'Send', to: region, message }, ...homes]
  }

  #tellHomes(region: NodeId): SendToRegion[] {
    const effects: SendToRegion[] = []
    const homes: Placement[] = []
    for (const [shard] of this.#state.homes) {
      if (this.#mayTellOthers(shard)) homes.push(this.#placementOf(shard))
    }
    for (let start = 0; start < homes.length; start += homesPerMessageMax) {
      effects.push(this.#homesTo(region, homes.slice(start, start + homesPerMessageMax)))
    }
    return effects
  }

  #homesTo(to: NodeId, homes: readonly Placement[]): SendToRegion {
    return { type: 'Send', to, message: { type: 'ShardHomes', term: this.#term, homes } }
  }

  /**
   * One that leaves may have given the shard up already, and the coordinator before this one may have gone, too, before it
   * could store that. What is sent there would be lost, so it is asked first.
   */
  #mayTellOthers(shard: ShardId): boolean {
    if (!this.#mayTell(shard)) return false
    return !(this.#unconfirmed.has(shard) && this.#isLeaving(this.#placementOf(shard).home))
  }

  #tellHome(shard: ShardId): SendToRegion[] {
    if (!this.#mayTell(shard)) return []
    const placement = this.#placementOf(shard)
    return [{ type: 'Send', to: placement.home, message: { type: 'HostShard', ...placement } }]
  }

  #placementOf(shard: ShardId): Placement {
    const home = this.#state.homeOf(shard)
    assert(home !== undefined, `shard ${shard} has a stored home when it is announced`)
    const turn = this.#turns.get(shard) ?? 0
    return { shard, home: home.region, epoch: home.epoch, term: this.#term, turn }
  }
}
