/**
 * Says where shards of one type should be, for a type with `ExternalShardAllocationStrategy`: from any node, whether that type is
 * started there or not. The coordinator looks at every `rebalanceIntervalMs`, and when a shard needs a home.
 */
import { type Duration, formatMs, toMs } from '../foundation/duration.ts'
import { type Address, addressOfNode, isAddress, isNodeId } from '../foundation/node-id.ts'
import { show } from '../foundation/show.ts'
import type { Timer, Timers } from '../foundation/timers.ts'
import { type Journal, JournalOutcomeUnknown } from '../persistence/index.ts'
import { ShardLocationRegister, type ShardLocations } from './allocation/shard-locations.ts'
import type { ShardId } from './shard-id.ts'
import {
  InvalidShardLocations,
  ShardLocationsChanged,
  ShardLocationsTimeout,
} from './sharding-errors.ts'

export interface ShardLocationOptions {
  /** How long the store may take. 5 s when not given. */
  readonly timeout?: Duration
}

export interface ShardLocationUpdate extends ShardLocationOptions {
  /** Changes nothing when somebody has changed the places since they had this revision. Not looked at when not given. */
  readonly expectedRevision?: number
}

export interface ExternalShardAllocationContext {
  readonly entityType: string
  readonly journal: Journal
  readonly timers: Timers
  /** Where it is known. */
  readonly numberOfShards: number | undefined
}

const defaultTimeout: Duration = '5s'
/** Others that write at the same time may come first so often. */
const attemptsMax = 20

export class ExternalShardAllocation {
  readonly entityType: string
  readonly #context: ExternalShardAllocationContext
  readonly #register: ShardLocationRegister

  /** @internal Throws `StoreCannot`. */
  constructor(context: ExternalShardAllocationContext) {
    this.entityType = context.entityType
    this.#context = context
    this.#register = new ShardLocationRegister(context.journal, context.entityType)
  }

  /** Resolves when it is stored, with the new revision. The node may be given by its id, or by its address for all its lives. */
  updateShardLocation(
    shard: ShardId,
    node: Address,
    options?: ShardLocationUpdate,
  ): Promise<number> {
    return this.updateShardLocations(new Map([[shard, node]]), options)
  }

  /** All of them or none. Rejects with `InvalidShardLocations`, `ShardLocationsChanged` and `ShardLocationsTimeout`. */
  async updateShardLocations(
    locations: ReadonlyMap<ShardId, Address>,
    options?: ShardLocationUpdate,
  ): Promise<number> {
    const places = [...locations].map(([shard, node]): [ShardId, Address] => [
      this.#checked(shard),
      addressIn(node),
    ])
    return this.#change(options, (known) =>
      places.forEach(([shard, address]) => known.set(shard, address)),
    )
  }

  /** The shard stays where it is, and has no place from now on. */
  removeShardLocation(shard: ShardId, options?: ShardLocationUpdate): Promise<number> {
    return this.removeShardLocations([shard], options)
  }

  async removeShardLocations(
    shards: Iterable<ShardId>,
    options?: ShardLocationUpdate,
  ): Promise<number> {
    const removed = [...shards].map((shard) => this.#checked(shard))
    return this.#change(options, (known) => removed.forEach((shard) => known.delete(shard)))
  }

  /** Empty for a type of which nobody has said anything. Rejects with `ShardLocationsTimeout`. */
  shardLocations({ timeout = defaultTimeout }: ShardLocationOptions = {}): Promise<ShardLocations> {
    return this.#within(timeout, () => this.#register.read())
  }

  #change(
    { timeout = defaultTimeout, expectedRevision }: ShardLocationUpdate = {},
    apply: (known: Map<ShardId, Address>) => void,
  ): Promise<number> {
    return this.#within(timeout, async (isOver) => {
      for (let attempt = 1; attempt <= attemptsMax && !isOver(); attempt++) {
        const { revision, locations } = await this.#register.read()
        if (expectedRevision !== undefined && expectedRevision !== revision) {
          throw new ShardLocationsChanged(this.entityType, expectedRevision, revision)
        }
        const known = new Map(locations)
        apply(known)
        try {
          const result = await this.#register.write({ revision, locations: known })
          if (result.type === 'RegisterWritten') return result.revision
        } catch (error) {
          // It may be stored: then the same again changes nothing. Who expects a revision could not tell.
          if (!(error instanceof JournalOutcomeUnknown) || expectedRevision !== undefined)
            throw error
        }
      }
      throw new InvalidShardLocations(
        `The places of the shards of ${this.entityType} were changed by others ${attemptsMax} times while this change was tried. Nothing of it is stored: change many at once rather than one by one, and try again.`,
      )
    })
  }

  #checked(shard: ShardId): ShardId {
    const { numberOfShards = Infinity } = this.#context
    if (Number.isSafeInteger(shard) && shard >= 0 && shard < numberOfShards) return shard
    const range = numberOfShards === Infinity ? '' : ` below ${numberOfShards}`
    throw new InvalidShardLocations(
      `${show(shard)} is no shard of ${this.entityType}: shards are whole numbers from 0 on${range}.`,
    )
  }

  #within<T>(timeout: Duration, work: (isOver: () => boolean) => Promise<T>): Promise<T> {
    const timeoutMs = toMs(timeout, 'timeout')
    let isOver = false
    let timer: Timer | undefined
    const timedOut = new Promise<never>((_, reject) => {
      timer = this.#context.timers.after(timeoutMs, () => {
        isOver = true
        reject(new ShardLocationsTimeout(this.entityType, formatMs(timeoutMs)))
      })
    })
    return Promise.race([work(() => isOver), timedOut]).finally(() => timer?.cancel())
  }
}

function addressIn(node: unknown): Address {
  if (isNodeId(node)) return addressOfNode(node)
  if (isAddress(node)) return node
  throw new InvalidShardLocations(
    `${show(node)} is no place for a shard: give the id of a node, or its address as host:port.`,
  )
}
