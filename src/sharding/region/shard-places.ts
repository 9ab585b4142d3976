/** What one region has heard about one shard, and which word counts. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { BeginHandOff, Placement } from '../sharding-messages.ts'
import type { RegionDropReason } from '../sharding-drop-reasons.ts'
import type { RoutesEffect } from './region-inputs.ts'

/** A flush under way behind the last message of a route. */
export interface Fence {
  readonly node: NodeId
  readonly stamp: number
}

export interface ShardPlace {
  /** The newest word heard. */
  epoch: number
  term: number
  turn: number
  /** Where it is by that word; undefined while nobody may say. */
  home: NodeId | undefined
  /** That home died: the same word again is not news. */
  isSpent: boolean
  /** Of the last route opened. What went by an earlier one comes back too late. */
  stamp: number
  /** Where that route went; undefined: to this node. */
  wentTo: NodeId | undefined
  /** Changed by `ShardPlaces.fence` and `unfence` alone. */
  fence: Fence | undefined
  /** To be acknowledged when the fence ends. */
  handOff: BeginHandOff | undefined
}

export class ShardPlaces {
  readonly #places = new Map<ShardId, ShardPlace>()
  /** Those with a fence: few, where there may be very many places. */
  readonly #fenced = new Set<ShardId>()

  get(shard: ShardId): ShardPlace | undefined {
    return this.#places.get(shard)
  }

  [Symbol.iterator](): IterableIterator<[ShardId, ShardPlace]> {
    return this.#places.entries()
  }

  get hasFence(): boolean {
    return this.#fenced.size > 0
  }

  /** A copy: fences may end and begin while somebody goes through it. */
  get fences(): readonly (readonly [ShardId, Fence])[] {
    const fences: [ShardId, Fence][] = []
    for (const shard of this.#fenced) {
      const fence = this.#places.get(shard)?.fence
      if (fence !== undefined) fences.push([shard, fence])
    }
    return fences
  }

  fence(shard: ShardId, place: ShardPlace, fence: Fence): void {
    place.fence = fence
    this.#fenced.add(shard)
  }

  unfence(shard: ShardId, place: ShardPlace): void {
    place.fence = undefined
    this.#fenced.delete(shard)
  }

  /** False for what is older than the newest word about the shard. */
  isNews({ shard, epoch, term, turn }: Placement): boolean {
    const place = this.#places.get(shard)
    if (place === undefined) return true
    if (epoch < place.epoch || term < place.term) return false
    if (term > place.term || turn > place.turn) return true
    return turn === place.turn && !place.isSpent
  }

  /** The newest word replaces all others; what is still under way is not changed by words. */
  hear({ shard, epoch, term, turn }: Placement): ShardPlace {
    const { stamp = 0, wentTo, fence } = this.#places.get(shard) ?? {}
    const place = {
      ...{ epoch, term, turn, stamp, wentTo, fence },
      ...{ home: undefined, isSpent: false, handOff: undefined },
    }
    this.#places.set(shard, place)
    return place
  }
}

export function drop<Parcel>(parcel: Parcel, reason: RegionDropReason): RoutesEffect<Parcel> {
  return { type: 'Drop', parcel, reason }
}

export function flushTo(shard: ShardId, { node, stamp }: Fence): RoutesEffect<never> {
  return { type: 'SendToPeer', to: node, message: { type: 'Flush', shard, stamp } }
}
