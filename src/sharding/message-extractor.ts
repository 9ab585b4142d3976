/**
 * How a message names its entity. Extractors are pure and equal on every node: the shard of an id must be the same
 * wherever it is computed.
 */
import { assert } from '../foundation/assert.ts'
import { type EntityId, type ShardId, shardOf } from './shard-id.ts'

/** A message with the name of the entity it is for. */
export interface ShardingEnvelope<Message = unknown> {
  readonly entityId: EntityId
  readonly message: Message
}

export interface MessageExtractor<Incoming, Message> {
  /** The entity this message is for; undefined when it names none. */
  entityId(incoming: Incoming): EntityId | undefined
  shardId(entityId: EntityId): ShardId
  /** What the entity receives. */
  unwrapMessage(incoming: Incoming): Message
}

/** Takes envelopes and places ids by their stable hash. */
export class HashCodeMessageExtractor<Message> implements MessageExtractor<
  ShardingEnvelope<Message>,
  Message
> {
  readonly #numberOfShards: number

  constructor(numberOfShards: number) {
    assert(Number.isSafeInteger(numberOfShards) && numberOfShards > 0, 'there are shards')
    this.#numberOfShards = numberOfShards
  }

  entityId({ entityId }: ShardingEnvelope<Message>): EntityId {
    return entityId
  }

  shardId(entityId: EntityId): ShardId {
    return shardOf(entityId, this.#numberOfShards)
  }

  unwrapMessage({ message }: ShardingEnvelope<Message>): Message {
    return message
  }
}

/** Takes messages that carry the id themselves; the entity receives them as they are. */
export class HashCodeNoEnvelopeMessageExtractor<Message> implements MessageExtractor<
  Message,
  Message
> {
  readonly #numberOfShards: number
  readonly #idOf: (message: Message) => EntityId | undefined

  constructor(numberOfShards: number, idOf: (message: Message) => EntityId | undefined) {
    assert(Number.isSafeInteger(numberOfShards) && numberOfShards > 0, 'there are shards')
    this.#numberOfShards = numberOfShards
    this.#idOf = idOf
  }

  entityId(incoming: Message): EntityId | undefined {
    return this.#idOf(incoming)
  }

  shardId(entityId: EntityId): ShardId {
    return shardOf(entityId, this.#numberOfShards)
  }

  unwrapMessage(incoming: Message): Message {
    return incoming
  }
}
