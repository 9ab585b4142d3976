/**
 * Where somebody outside wants shards to be: pins, kept in one register of the store that all nodes share, per entity type. The
 * register is changed by compare-and-set alone, so that of two who write at once none is lost.
 */
import type { Address } from '../../foundation/node-id.ts'
import {
  hasRegisters,
  type Journal,
  type Registers,
  type RegisterWriteResult,
  StoreCannot,
} from '../../persistence/index.ts'
import { NotAMessage, ValueCodec } from '../../serialization/internals.ts'
import type { ShardId } from '../shard-id.ts'
import { InvalidShardLocations } from '../sharding-errors.ts'
import { shardLocationsProtocol } from '../sharding-wire.ts'

/** As they stand in the register, by node: many shards share one. */
export interface StoredShardLocations {
  readonly type: 'StoredShardLocations'
  readonly nodes: readonly { readonly address: Address; readonly shards: readonly ShardId[] }[]
}

/** Pins as they were read. */
export interface ShardLocations {
  /** Grows with every change; 0 when nothing was ever pinned. */
  readonly revision: number
  readonly locations: ReadonlyMap<ShardId, Address>
}

/** Bytes of all pins of one type: about 15,000 of them. */
const bytesMax = 60_000

export class ShardLocationRegister {
  readonly #registers: Registers
  readonly #entityType: string
  readonly #name: string
  readonly #codec = new ValueCodec({ use: 'stored' })
  readonly #protocol = shardLocationsProtocol()

  /** Throws `StoreCannot`. */
  constructor(journal: Journal, entityType: string) {
    if (!hasRegisters(journal)) {
      throw new StoreCannot('keep the places of shards', 'readRegister and writeRegister')
    }
    this.#registers = journal
    this.#entityType = entityType
    this.#name = `external-shards/${entityType}`
  }

  async read(): Promise<ShardLocations> {
    const stored = await this.#registers.readRegister(this.#name)
    if (stored === undefined) return { revision: 0, locations: new Map() }
    const message = this.#protocol.unpack(this.#codec.decode(stored.bytes))
    if (message instanceof NotAMessage) {
      throw new InvalidShardLocations(
        `The places of the shards of ${this.#entityType} in register "${this.#name}" cannot be read: ${message.problem}. Does another version of Sherd write here?`,
      )
    }
    const locations = new Map<ShardId, Address>()
    for (const { address, shards } of message.nodes) {
      for (const shard of shards) locations.set(shard, address)
    }
    return { revision: stored.revision, locations }
  }

  /** Rejects with `InvalidShardLocations` when they are too many. */
  async write({ revision, locations }: ShardLocations): Promise<RegisterWriteResult> {
    const byNode = new Map<Address, ShardId[]>()
    for (const [shard, address] of locations) {
      const shards = byNode.get(address)
      if (shards === undefined) byNode.set(address, [shard])
      else shards.push(shard)
    }
    const nodes = [...byNode].map(([address, shards]) => ({ address, shards }))
    const bytes = this.#codec.encode(this.#protocol.pack({ type: 'StoredShardLocations', nodes }))
    if (bytes.byteLength > bytesMax) {
      throw new InvalidShardLocations(
        `${locations.size} places of shards of ${this.#entityType} take ${bytes.byteLength} bytes, more than the ${bytesMax} that one register is for. Remove those that need no place of their own; use fewer shards, or a strategy of your own that computes the places.`,
      )
    }
    return this.#registers.writeRegister({ name: this.#name, expectedRevision: revision, bytes })
  }
}
