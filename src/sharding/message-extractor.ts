/**
 * How a message names its entity, and an entity its shard. Extractors are pure and equal on every node: the shard of an id
 * must be the same wherever, and whenever, it is computed.
 */
import { assert } from '../foundation/assert.ts'
import { murmur2 } from '../foundation/murmur2.ts'
import { type EntityId, type ShardId, shardOf } from './shard-id.ts'

/**
 * A message with the name of the entity it is for. A region with an extractor of its own takes an object of this form for an
 * envelope when the extractor finds nobody in it, and one that `shardingEnvelope` made without asking it.
 */
export interface ShardingEnvelope<Message = unknown> {
  readonly entityId: EntityId
  readonly message: Message
}

/** @internal Made by `shardingEnvelope`. */
export class MadeEnvelope<Message> implements ShardingEnvelope<Message> {
  readonly entityId: EntityId
  readonly message: Message

  constructor(entityId: EntityId, message: Message) {
    this.entityId = entityId
    this.message = message
  }
}

/** An envelope that every region of this node understands, whatever its extractor is. */
export function shardingEnvelope<Message>(
  entityId: EntityId,
  message: Message,
): ShardingEnvelope<Message> {
  return new MadeEnvelope(entityId, message)
}

export interface MessageExtractor<Incoming, Message> {
  /**
   * Name and version of the rule by which ids are placed, such as `by-country@2`; nodes compare it. Give another one when
   * the rule changes: nodes with different rules would let one entity live in two shards.
   */
  readonly extractorId?: string
  /** The entity this message is for; undefined when it names none. */
  entityId(incoming: Incoming): EntityId | undefined
  /**
   * The shard of an id: a number from 0 to `numberOfShards - 1`, or a text of at most 128 bytes, such as the name of a
   * country. A text is mapped to a number by the stable hash, so that two texts may share a shard.
   */
  shardId(entityId: EntityId): ShardId | string
  /** What the entity receives. */
  unwrapMessage(incoming: Incoming): Message
}

/** An extractor as functions, for definitions that would make a class of nothing else. */
export interface ExtractorFunctions<Incoming, Message> {
  /**
   * The entity this message is for: its id alone, when the entity shall receive the message as it is, or both; undefined
   * when it names none. Envelopes are taken when not given.
   */
  extractEntityId?:
    | ((incoming: Incoming) => EntityId | ShardingEnvelope<Message> | undefined)
    | undefined
  /** As `shardId` of an extractor; ids are placed by their stable hash when not given. */
  extractShardId?: ((entityId: EntityId) => ShardId | string) | undefined
  /** As that of an extractor. */
  readonly extractorId?: string | undefined
}

/** @internal What nodes say of a rule that nobody named. */
export const unnamedRule = 'unnamed'

/** @internal Whether this is the name of a rule that we bring. */
export function isOwnRule(extractorId: string): boolean {
  return /^(stable-hash|murmur2)@/.test(extractorId)
}

/** A rule of our own, for so many shards: by its name, and by what it does. */
interface Placing {
  readonly extractorId: string
  readonly numberOfShards: number
  readonly shardOf: (entityId: EntityId) => ShardId
}

function byStableHash(numberOfShards: number): Placing {
  return placing('stable-hash@1', numberOfShards, (id) => shardOf(id, numberOfShards))
}

function byMurmur2(numberOfShards: number): Placing {
  return placing('murmur2@1', numberOfShards, (id) => (murmur2(id) & 0x7fffffff) % numberOfShards)
}

function placing(name: string, numberOfShards: number, of: Placing['shardOf']): Placing {
  assert(Number.isSafeInteger(numberOfShards) && numberOfShards > 0, 'there are shards')
  return { extractorId: `${name}/${numberOfShards}`, numberOfShards, shardOf: of }
}

/** Takes envelopes, and places ids by a rule of ours. */
abstract class EnvelopeExtractor<Message> implements MessageExtractor<
  ShardingEnvelope<Message>,
  Message
> {
  readonly #placing: Placing

  /** @internal */
  constructor(by: Placing) {
    this.#placing = by
  }

  get extractorId(): string {
    return this.#placing.extractorId
  }

  get numberOfShards(): number {
    return this.#placing.numberOfShards
  }

  entityId({ entityId }: ShardingEnvelope<Message>): EntityId {
    return entityId
  }

  shardId(entityId: EntityId): ShardId {
    return this.#placing.shardOf(entityId)
  }

  unwrapMessage({ message }: ShardingEnvelope<Message>): Message {
    return message
  }
}

/** Takes messages that carry the id themselves, and places ids by a rule of ours; the entity receives messages as they are. */
abstract class NoEnvelopeExtractor<Message> implements MessageExtractor<Message, Message> {
  readonly #placing: Placing
  readonly #idOf: (message: Message) => EntityId | undefined

  /** @internal */
  constructor(by: Placing, idOf: (message: Message) => EntityId | undefined) {
    this.#placing = by
    this.#idOf = idOf
  }

  get extractorId(): string {
    return this.#placing.extractorId
  }

  get numberOfShards(): number {
    return this.#placing.numberOfShards
  }

  entityId(incoming: Message): EntityId | undefined {
    return this.#idOf(incoming)
  }

  shardId(entityId: EntityId): ShardId {
    return this.#placing.shardOf(entityId)
  }

  unwrapMessage(incoming: Message): Message {
    return incoming
  }
}

/** Takes envelopes and places ids by their stable hash. */
export class HashCodeMessageExtractor<Message> extends EnvelopeExtractor<Message> {
  constructor(numberOfShards: number) {
    super(byStableHash(numberOfShards))
  }
}

/** Takes messages that carry the id themselves; the entity receives them as they are. */
export class HashCodeNoEnvelopeMessageExtractor<Message> extends NoEnvelopeExtractor<Message> {
  constructor(numberOfShards: number, idOf: (message: Message) => EntityId | undefined) {
    super(byStableHash(numberOfShards), idOf)
  }
}

/** Takes envelopes and places ids as Kafka's partitioner does keys: a shard is a partition of such a topic. */
export class Murmur2MessageExtractor<Message> extends EnvelopeExtractor<Message> {
  constructor(numberOfShards: number) {
    super(byMurmur2(numberOfShards))
  }
}

/** As `Murmur2MessageExtractor`, for messages that carry the id themselves. */
export class Murmur2NoEnvelopeMessageExtractor<Message> extends NoEnvelopeExtractor<Message> {
  constructor(numberOfShards: number, idOf: (message: Message) => EntityId | undefined) {
    super(byMurmur2(numberOfShards), idOf)
  }
}

/** @internal They compute from the id alone: nothing of them needs a second look. */
export function isOwnExtractor(extractor: unknown): boolean {
  return extractor instanceof EnvelopeExtractor || extractor instanceof NoEnvelopeExtractor
}
