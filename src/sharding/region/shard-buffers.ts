/**
 * Holds messages for shards whose home is not known yet, and behind those until the last is sent. Keeps arrival order per shard; what came back from a former home
 * stands before everything else, since it was sent earlier. Bounded by one count over all shards.
 */
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'

/** The region that forwarded a message, and its name for the route it took. */
export interface Origin {
  readonly node: NodeId
  readonly stamp: number
}

/** Without an origin the message was sent on this node. */
export interface Buffered<Parcel> {
  readonly parcel: Parcel
  readonly origin: Origin | undefined
}

interface Waiting<Parcel> {
  readonly returned: RingBuffer<Buffered<Parcel>>
  readonly arrived: RingBuffer<Buffered<Parcel>>
}

export class ShardBuffers<Parcel> {
  readonly #max: number
  readonly #waiting = new Map<ShardId, Waiting<Parcel>>()
  #size = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Messages of all shards. */
  get size(): number {
    return this.#size
  }

  get shards(): ShardId[] {
    return [...this.#waiting.keys()]
  }

  has(shard: ShardId): boolean {
    return this.#waiting.has(shard)
  }

  sizeOf(shard: ShardId): number {
    const waiting = this.#waiting.get(shard)
    return waiting === undefined ? 0 : waiting.returned.size + waiting.arrived.size
  }

  /** False when there is no room. */
  add(shard: ShardId, item: Buffered<Parcel>): boolean {
    if (this.#size >= this.#max) return false
    this.#waitingFor(shard).arrived.push(item)
    this.#size++
    return true
  }

  /** Behind what was returned before, and before everything else. False when there is no room. */
  addReturned(shard: ShardId, parcel: Parcel): boolean {
    if (this.#size >= this.#max) return false
    this.#waitingFor(shard).returned.push({ parcel, origin: undefined })
    this.#size++
    return true
  }

  /**
   * The oldest for this shard, in order: not many more than `max`. What was returned is never parted, since what comes
   * back once more must stand before all of the rest.
   */
  take(shard: ShardId, max = Infinity): Buffered<Parcel>[] {
    const waiting = this.#waiting.get(shard)
    if (waiting === undefined) return []
    const { returned, arrived } = waiting
    const taken: Buffered<Parcel>[] = []
    while (returned.size > 0) taken.push(returned.shift() as Buffered<Parcel>)
    while (arrived.size > 0 && taken.length < max) taken.push(arrived.shift() as Buffered<Parcel>)
    this.#took(shard, waiting, taken.length)
    return taken
  }

  /** Only what matches, in order; the rest keeps its place. */
  takeIf(shard: ShardId, matches: (item: Buffered<Parcel>) => boolean): Buffered<Parcel>[] {
    const waiting = this.#waiting.get(shard)
    if (waiting === undefined) return []
    const taken: Buffered<Parcel>[] = []
    for (const queue of [waiting.returned, waiting.arrived]) {
      for (let left = queue.size; left > 0; left--) {
        const item = queue.shift() as Buffered<Parcel>
        if (matches(item)) taken.push(item)
        else queue.push(item)
      }
    }
    this.#took(shard, waiting, taken.length)
    return taken
  }

  #took(shard: ShardId, { returned, arrived }: Waiting<Parcel>, count: number): void {
    this.#size -= count
    if (returned.size + arrived.size === 0) this.#waiting.delete(shard)
  }

  #waitingFor(shard: ShardId): Waiting<Parcel> {
    let waiting = this.#waiting.get(shard)
    if (waiting === undefined) {
      waiting = { returned: new RingBuffer(), arrived: new RingBuffer() }
      this.#waiting.set(shard, waiting)
    }
    return waiting
  }
}
