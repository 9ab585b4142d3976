/**
 * What one region knows about where shards are, and the messages that wait for it. Owns the routing table.
 *
 *   waiting ──home known, no fence──▶ begun ──nothing waits──▶ open
 *      ▲                                └───────────┬───────────┤
 *      ├────────────────────────────────────node removed        │
 *      └── fenced ◀──BeginHandOff, other home, message returned─┘
 *
 * What waited for another node is sent a part at a time, so that much of it does not keep the event loop; until the last
 * part is sent the route is only begun, and what is new waits behind.
 * A fence is a flush sent behind the last message of a route. It ends when the former home has answered, behind everything
 * it returned, or when the stream to it is lost.
 *
 * Invariant: a route is opened only when nothing sent by the route before it is still under way, and everything that
 * waited goes before anything new.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { BeginHandOff, BetweenRegions, Placement, Returned } from '../sharding-messages.ts'
import { Guests } from './guests.ts'
import type { RegionDropReason } from '../sharding-drop-reasons.ts'
import type { Route, RoutingTable } from './routing-table.ts'
import type { RoutesEffect } from './region-inputs.ts'
import { type ShardPlace, ShardPlaces, drop, flushTo } from './shard-places.ts'
import type { Buffered, ShardBuffers } from './shard-buffers.ts'

/** More can be removed before the last word about one of them has come; then a message to it waits for a retry. */
const removedMax = 1_000

/** Some milliseconds of work. */
export const defaultReleasedMax = 500

export interface ShardRoutesOptions<Parcel> {
  readonly self: NodeId
  readonly table: RoutingTable
  readonly buffers: ShardBuffers<Parcel>
  /** Whether a shard on this node takes messages now. */
  readonly isServed: (shard: ShardId) => boolean
  /** Messages that the first of several turns sends to other nodes of those that waited. */
  readonly releasedMax?: number | undefined
}

export class ShardRoutes<Parcel> {
  readonly #self: NodeId
  readonly #table: RoutingTable
  readonly #buffers: ShardBuffers<Parcel>
  readonly #isServed: (shard: ShardId) => boolean
  readonly #guests: Guests<Parcel>
  readonly #places = new ShardPlaces()
  /** The last nodes that were removed: a word that was under way meanwhile may still name them. */
  readonly #removed = new Set<NodeId>()
  readonly #releasedMax: number
  /** How many more this turn may send of those that waited. When it comes to 0, the next turn is asked for. */
  #releasable: number
  /** How many the last turn might send. */
  #part: number
  #isFlushing = false

  constructor({ self, table, buffers, isServed, releasedMax }: ShardRoutesOptions<Parcel>) {
    this.#self = self
    this.#releasedMax = releasedMax ?? defaultReleasedMax
    this.#releasable = this.#releasedMax
    this.#part = this.#releasedMax
    this.#table = table
    this.#buffers = buffers
    this.#isServed = isServed
    this.#guests = new Guests(table, buffers)
  }

  /** Whether nothing waits, here or under way. */
  get isEmpty(): boolean {
    return this.#buffers.size === 0 && !this.#places.hasFence
  }

  isNews(word: Placement): boolean {
    return this.#places.isNews(word)
  }

  placeOf(shard: ShardId): Readonly<ShardPlace> | undefined {
    return this.#places.get(shard)
  }

  /** A message sent on this node. */
  route(shard: ShardId, parcel: Parcel): RoutesEffect<Parcel>[] {
    const route = this.#table.homeOf(shard)
    const item = { parcel, origin: undefined }
    return route === undefined ? this.#wait(shard, item) : [this.#go(shard, item, route.node)]
  }

  fromRegion(region: NodeId, message: BetweenRegions<Parcel>): RoutesEffect<Parcel>[] {
    const { shard, stamp } = message
    switch (message.type) {
      case 'Forwarded':
        return this.#receive(shard, { parcel: message.parcel, origin: { node: region, stamp } })
      case 'Returned':
        return this.#returned(region, message)
      case 'Flush':
        return this.#guests.flush(shard, stamp, region)
      case 'FlushAck':
        return this.#flushed(shard, stamp, region)
      default:
        return unreachable(message)
    }
  }

  /** The home is this one. A word that is not news must not come here. */
  learn(word: Placement): RoutesEffect<Parcel>[] {
    const { shard, home } = word
    // Nobody there would ever answer a flush. The coordinator will choose another.
    if (this.#removed.has(home)) return this.deny(word, true)
    this.#places.hear(word).home = home
    // At once, not when a fence ends: what their senders send next comes back at once too.
    const theirs = home === this.#self ? [] : this.#guests.giveBackAll(shard, () => true)
    return [...theirs, ...this.settle(shard)]
  }

  /** The home cannot be the one that is said: the coordinator is asked again, if anything waits. */
  deny(word: Placement, isSpent = false): RoutesEffect<Parcel>[] {
    const { shard } = word
    const place = this.#places.hear(word)
    place.isSpent = isSpent
    const effects = this.#closeBehind(shard, place)
    return this.#buffers.has(shard) ? [...effects, ...this.ask(shard)] : effects
  }

  /** Sends a flush behind everything that went to other nodes, and from now on behind everything that is sent at all. */
  flushAll(): RoutesEffect<Parcel>[] {
    this.#isFlushing = true
    return [...this.#places].flatMap(([shard, place]) =>
      this.#table.routeOf(shard)?.node === undefined ? [] : this.#closeBehind(shard, place),
    )
  }

  /** The home is about to change: nothing is sent there any more. */
  begin(word: BeginHandOff): RoutesEffect<Parcel>[] {
    const place = this.#places.hear(word)
    place.home = undefined
    place.handOff = word
    const effects = this.#closeBehind(word.shard, place)
    if (place.fence === undefined) effects.push(...this.#acknowledge(place))
    return this.#buffers.has(word.shard) ? [...effects, ...this.ask(word.shard)] : effects
  }

  /** The shard does not take messages here any more: what others sent goes back to them. */
  stopServing(shard: ShardId): RoutesEffect<Parcel>[] {
    const place = this.#places.get(shard)
    if (this.#table.routeOf(shard)?.node === undefined) this.#table.close(shard)
    if (place?.home === this.#self) place.home = undefined
    return this.#guests.giveBackAll(shard, () => true)
  }

  /** Opens or closes the route as far as what is known allows. */
  settle(shard: ShardId): RoutesEffect<Parcel>[] {
    const place = this.#places.get(shard)
    if (place?.home === undefined || place.fence !== undefined) return []
    const node = place.home === this.#self ? undefined : place.home
    const route = this.#table.routeOf(shard)
    if (route !== undefined && route.node !== node) {
      const effects = this.#closeBehind(shard, place)
      return effects.length > 0 ? effects : this.#open(shard, place, node)
    }
    if (node === undefined && !this.#isServed(shard)) {
      this.#table.close(shard)
      return []
    }
    // By the end of a region only what came back is sent, and a route without messages would never be flushed.
    const isUseless = this.#isFlushing && node !== undefined && !this.#buffers.has(shard)
    return route === undefined && !isUseless ? this.#open(shard, place, node) : []
  }

  /** The stream is lost, and with it whatever was under way. */
  associationLost(node: NodeId): RoutesEffect<Parcel>[] {
    const effects: RoutesEffect<Parcel>[] = []
    for (const [shard, fence] of this.#places.fences) {
      const place = this.#places.get(shard)
      if (fence.node === node && place !== undefined) effects.push(...this.#endFence(shard, place))
    }
    return effects
  }

  nodeRemoved(node: NodeId): RoutesEffect<Parcel>[] {
    this.#removed.add(node)
    for (const oldest of this.#removed) {
      if (this.#removed.size <= removedMax) break
      this.#removed.delete(oldest)
    }
    for (const [shard, place] of this.#places) {
      this.#table.forgive(shard, node, Infinity)
      if (this.#table.routeOf(shard)?.node === node) this.#table.close(shard)
      if (place.home !== node) continue
      place.home = undefined
      place.isSpent = true
    }
    return [...this.associationLost(node), ...this.askAll()]
  }

  /** Repeats what may have been lost. */
  retry(): RoutesEffect<Parcel>[] {
    const effects = this.askAll()
    for (const [shard, fence] of this.#places.fences) effects.push(flushTo(shard, fence))
    return effects
  }

  /** Asks for the home of every shard that messages wait for. */
  askAll(): RoutesEffect<Parcel>[] {
    return this.#buffers.shards.flatMap((shard) => this.ask(shard))
  }

  ask(shard: ShardId): RoutesEffect<Parcel>[] {
    if (this.#places.get(shard)?.home !== undefined) return []
    return [{ type: 'Tell', message: { type: 'GetShardHome', shard, region: this.#self } }]
  }

  /** A turn of its own: sends the next part of what waited for other nodes. */
  release(): RoutesEffect<Parcel>[] {
    // Twice as many as in the turn before: what comes meanwhile must not keep a route from being opened.
    this.#part *= 2
    this.#releasable = this.#part
    const effects: RoutesEffect<Parcel>[] = []
    for (const [shard, route] of this.#table.begun) {
      if (this.#releasable === 0) break
      effects.push(...this.#releaseBy(route, shard))
    }
    if (this.#releasable > 0) this.#releasable = this.#part = this.#releasedMax
    return effects
  }

  /** Nobody will give a home to what waits without one. */
  giveUp(reason: RegionDropReason): RoutesEffect<Parcel>[] {
    return this.#homeless.flatMap((shard) => this.#giveUpAll(shard, reason))
  }

  /** The same, but what others have sent to a shard that lives here waits on until it takes messages. */
  giveUpOwn(reason: RegionDropReason): RoutesEffect<Parcel>[] {
    return this.#homeless.flatMap((shard) => {
      if (this.#places.get(shard)?.home !== this.#self) return this.#giveUpAll(shard, reason)
      const own = this.#buffers.takeIf(shard, ({ origin }) => origin === undefined)
      return own.map(({ parcel }) => drop(parcel, reason))
    })
  }

  get #homeless(): ShardId[] {
    return this.#buffers.shards.filter((shard) => !this.#table.routeOf(shard))
  }

  #giveUpAll(shard: ShardId, reason: RegionDropReason): RoutesEffect<Parcel>[] {
    return this.#buffers.take(shard).map((item) => {
      const { origin, parcel } = item
      return origin ? this.#guests.giveBack(shard, item) : drop(parcel, reason)
    })
  }

  /** A message that another region sent here. It is never sent on: its order is for its origin to keep. */
  #receive(shard: ShardId, item: Buffered<Parcel>): RoutesEffect<Parcel>[] {
    const home = this.#places.get(shard)?.home
    const mayBeHere = home === undefined || home === this.#self
    const welcome = this.#guests.isWelcome(shard, item, mayBeHere)
    if (welcome === 'served') return [this.#go(shard, item, undefined)]
    return welcome === 'waits' ? this.#wait(shard, item) : [this.#guests.giveBack(shard, item)]
  }

  /** Messages that a former home could not deliver. */
  #returned(from: NodeId, message: Returned<Parcel>): RoutesEffect<Parcel>[] {
    const { shard, stamp, parcels } = message
    const place = this.#places.get(shard)
    if (place?.stamp !== stamp || place.wentTo !== from) {
      return parcels.map((parcel) => drop(parcel, 'overtaken'))
    }
    const effects: RoutesEffect<Parcel>[] = []
    const isRouted = this.#table.routeOf(shard) !== undefined
    // Whoever gives it back is not the home by its own word, whether anything is still sent there or not.
    const isDenied = isRouted || place.home === from
    const mustAsk = isDenied || !this.#buffers.has(shard)
    if (isDenied) place.home = undefined
    if (isRouted) effects.push(...this.#closeBehind(shard, place))
    for (const parcel of parcels) {
      if (!this.#buffers.addReturned(shard, parcel)) effects.push(drop(parcel, 'shard-buffer-full'))
    }
    return mustAsk ? [...effects, ...this.ask(shard)] : effects
  }

  #flushed(shard: ShardId, stamp: number, from: NodeId): RoutesEffect<Parcel>[] {
    const place = this.#places.get(shard)
    const isOurs = place?.fence?.stamp === stamp && place.fence.node === from
    return isOurs ? this.#endFence(shard, place) : []
  }

  #wait(shard: ShardId, item: Buffered<Parcel>): RoutesEffect<Parcel>[] {
    const isFirst = !this.#buffers.has(shard)
    if (!this.#buffers.add(shard, item)) return [drop(item.parcel, 'shard-buffer-full')]
    return isFirst ? this.ask(shard) : []
  }

  #open(shard: ShardId, place: ShardPlace, node: NodeId | undefined): RoutesEffect<Parcel>[] {
    const route = this.#table.begin(shard, node)
    place.stamp = route.stamp
    place.wentTo = node
    return this.#releaseBy(route, shard)
  }

  #releaseBy(route: Route, shard: ShardId): RoutesEffect<Parcel>[] {
    const { node } = route
    const max = node === undefined ? Infinity : this.#releasable
    const effects = this.#buffers.take(shard, max).map((item) => this.#go(shard, item, node))
    const count = effects.length
    if (!this.#buffers.has(shard)) effects.push(...this.#released(route, shard))
    if (node === undefined || this.#releasable === 0) return effects
    this.#releasable = Math.max(0, this.#releasable - count)
    // Asked for once: until it has come, nothing more is released.
    if (this.#releasable === 0) effects.push({ type: 'StartTimer', timer: 'release', delayMs: 0 })
    return effects
  }

  /** Nothing waits any more for the shard. */
  #released(route: Route, shard: ShardId): RoutesEffect<Parcel>[] {
    const place = this.#places.get(shard)
    const isLast = this.#isFlushing && route.node !== undefined
    if (isLast && place !== undefined) return this.#closeBehind(shard, place)
    this.#table.open(shard, route)
    return []
  }

  #go(shard: ShardId, item: Buffered<Parcel>, node: NodeId | undefined): RoutesEffect<Parcel> {
    const { parcel, origin } = item
    if (node === undefined) return { type: 'Deliver', shard, parcel }
    if (origin !== undefined) return this.#guests.giveBack(shard, item)
    const stamp = this.#places.get(shard)?.stamp ?? 0
    const message = { type: 'Forwarded', shard, stamp, parcel } as const
    return { type: 'SendToPeer', to: node, message }
  }

  /** A flush follows what was sent to another node; to a shard on this node nothing is under way. */
  #closeBehind(shard: ShardId, place: ShardPlace): RoutesEffect<Parcel>[] {
    const route = this.#table.routeOf(shard)
    this.#table.close(shard)
    if (route?.node === undefined) return []
    const fence = { node: route.node, stamp: route.stamp }
    this.#places.fence(shard, place, fence)
    return [flushTo(shard, fence)]
  }

  #endFence(shard: ShardId, place: ShardPlace): RoutesEffect<Parcel>[] {
    this.#places.unfence(shard, place)
    return [...this.#acknowledge(place), ...this.settle(shard)]
  }

  #acknowledge(place: ShardPlace): RoutesEffect<Parcel>[] {
    if (place.handOff === undefined) return []
    const { shard, epoch, term, turn } = place.handOff
    const region = this.#self
    return [
      { type: 'Tell', message: { type: 'BeginHandOffAck', shard, epoch, term, turn, region } },
    ]
  }
}
