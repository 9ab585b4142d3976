/**
 * Messages that other regions sent here. They are delivered here or go back to where they came from, never on to a third
 * node: only their origin can keep their order.
 *
 * Invariant: once a message went back, everything that comes by the same route goes back too.
 */
import { assert } from '../../foundation/assert.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { RoutingTable } from './routing-table.ts'
import type { Buffered, Origin, ShardBuffers } from './shard-buffers.ts'
import type { RoutesEffect } from './region-inputs.ts'

export class Guests<Parcel> {
  readonly #table: RoutingTable
  readonly #buffers: ShardBuffers<Parcel>

  constructor(table: RoutingTable, buffers: ShardBuffers<Parcel>) {
    this.#table = table
    this.#buffers = buffers
  }

  /** `mayBeHere` is false when the home is known to be elsewhere. */
  isWelcome(
    shard: ShardId,
    { origin }: Buffered<Parcel>,
    mayBeHere: boolean,
  ): 'served' | 'waits' | 'refused' {
    assert(origin !== undefined, 'a guest has come from somewhere')
    const { node, stamp } = origin
    if (this.#table.isServedTo(shard, node, stamp)) return 'served'
    return mayBeHere && !this.#table.isRefused(shard, node, stamp) ? 'waits' : 'refused'
  }

  giveBack(shard: ShardId, { parcel, origin }: Buffered<Parcel>): RoutesEffect<Parcel> {
    assert(origin !== undefined, 'a guest has come from somewhere')
    const { node, stamp } = origin
    this.#table.refuse(shard, node, stamp)
    const message = { type: 'Returned', shard, stamp, parcels: [parcel] } as const
    return { type: 'SendToPeer', to: node, message }
  }

  giveBackAll(shard: ShardId, isMeant: (origin: Origin) => boolean): RoutesEffect<Parcel>[] {
    const isTheirs = ({ origin }: Buffered<Parcel>) => origin !== undefined && isMeant(origin)
    return this.#buffers.takeIf(shard, isTheirs).map((item) => this.giveBack(shard, item))
  }

  /** Everything that came by this route is handled, or goes back before the answer. */
  flush(shard: ShardId, stamp: number, from: NodeId): RoutesEffect<Parcel>[] {
    const isTheirs = (origin: Origin) => origin.node === from && origin.stamp <= stamp
    const effects = this.giveBackAll(shard, isTheirs)
    this.#table.forgive(shard, from, stamp)
    effects.push({ type: 'SendToPeer', to: from, message: { type: 'FlushAck', shard, stamp } })
    return effects
  }
}
