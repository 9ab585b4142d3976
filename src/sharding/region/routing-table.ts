/**
 * Where messages go at once: one lookup per message, nothing allocated. The region's machine owns and changes it; whoever
 * routes reads it. A shard that is not in it goes to the machine.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'

/** `node` is undefined for a shard that is served here. `stamp` names this route, and never another one of this region. */
export interface Route {
  readonly node: NodeId | undefined
  readonly stamp: number
}

export class RoutingTable {
  readonly #routes: (Route | undefined)[]
  /** Those that messages of this node find: the same, or none. */
  #own: readonly (Route | undefined)[]
  /** Routes by which what waited is sent, part by part; what is new waits behind it. */
  readonly #begun = new Map<ShardId, Route>()
  /** Routes of other regions whose messages came too early or too late; see `refuse`. */
  readonly #refused = new Map<ShardId, Map<NodeId, number>>()
  #lastStamp = 0

  constructor(numberOfShards: number) {
    this.#routes = new Array<Route | undefined>(numberOfShards).fill(undefined)
    this.#own = this.#routes
  }

  /** undefined when the message must wait. */
  homeOf(shard: ShardId): Route | undefined {
    return this.#own[shard]
  }

  /** Whether messages of this node find no route; those of others go to shards here as before. */
  shut(isShut: boolean): void {
    this.#own = isShut ? [] : this.#routes
  }

  /** Also one that is only begun: messages may be under way by it. */
  routeOf(shard: ShardId): Route | undefined {
    return this.#routes[shard] ?? this.#begun.get(shard)
  }

  /** Those that are begun and not open, oldest first. */
  get begun(): IterableIterator<[ShardId, Route]> {
    return this.#begun.entries()
  }

  /** A route for what waited. What is new finds none before it is opened. */
  begin(shard: ShardId, node: NodeId | undefined): Route {
    const route = { node, stamp: ++this.#lastStamp }
    this.#begun.set(shard, route)
    return route
  }

  /** Nothing waits any more. */
  open(shard: ShardId, route: Route): void {
    this.#begun.delete(shard)
    this.#routes[shard] = route
  }

  close(shard: ShardId): void {
    this.#routes[shard] = undefined
    this.#begun.delete(shard)
  }

  /** For a message that another region sent by a route of its own: whether it goes to the shard here. */
  isServedTo(shard: ShardId, from: NodeId, stamp: number): boolean {
    const route = this.#routes[shard]
    return route !== undefined && route.node === undefined && !this.isRefused(shard, from, stamp)
  }

  /** From now on all that comes by this route goes back, since something has: what follows must not overtake it. */
  refuse(shard: ShardId, from: NodeId, stamp: number): void {
    let routes = this.#refused.get(shard)
    if (routes === undefined) this.#refused.set(shard, (routes = new Map<NodeId, number>()))
    routes.set(from, Math.max(stamp, routes.get(from) ?? 0))
  }

  isRefused(shard: ShardId, from: NodeId, stamp: number): boolean {
    // Empty nearly always, and asked for every message.
    if (this.#refused.size === 0) return false
    return stamp <= (this.#refused.get(shard)?.get(from) ?? 0)
  }

  /** The other region has left that route, and nothing more comes by it. */
  forgive(shard: ShardId, from: NodeId, stamp: number): void {
    const routes = this.#refused.get(shard)
    if (routes === undefined || stamp < (routes.get(from) ?? 0)) return
    routes.delete(from)
    if (routes.size === 0) this.#refused.delete(shard)
  }

  closeAll(): void {
    this.#routes.fill(undefined)
    this.#begun.clear()
  }
}
