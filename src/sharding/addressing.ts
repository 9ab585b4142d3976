/**
 * Finds out for which entity a message is, and in which shard that entity lives. The extractor is the user's code: it may
 * throw, answer nonsense, or something else the next time. Whatever it does becomes one error, and one reason.
 */
import { isInstance } from '../foundation/is-instance.ts'
import { isRecord } from '../foundation/is-object.ts'
import { problemWithId } from '../foundation/text.ts'
import {
  type ExtractorFunctions,
  HashCodeMessageExtractor,
  isOwnExtractor,
  MadeEnvelope,
  type MessageExtractor,
  type ShardingEnvelope,
  unnamedRule,
} from './message-extractor.ts'
import {
  checkEntityId,
  type EntityId,
  isShardId,
  type ShardId,
  shardOf,
  shardTextBytesMax,
} from './shard-id.ts'
import type { ShardingDeadLetterReason } from './sharding-drop-reasons.ts'
import {
  ExtractorFailed,
  ExtractorUnstable,
  InvalidEntityId,
  InvalidShardId,
  NoEntityInMessage,
} from './sharding-errors.ts'

/** How a definition says it; without both, envelopes are taken and ids are placed by their stable hash. */
export interface AddressingOptions {
  readonly entityType: string
  readonly numberOfShards: number
  readonly extractor?: MessageExtractor<never, unknown> | undefined
  readonly functions?: ExtractorFunctions<never, unknown> | undefined
}

export class Addressing {
  /** By which nodes see whether they place ids in the same way; `unnamed` for an extractor that does not say. */
  readonly extractorId: string
  readonly #entityType: string
  readonly #numberOfShards: number
  readonly #read: (incoming: unknown) => ShardingEnvelope | undefined
  readonly #place: (entityId: EntityId) => ShardId | string
  /** Whether it is asked twice. */
  readonly #isStable: boolean

  constructor({ entityType, numberOfShards, extractor, functions }: AddressingOptions) {
    this.#entityType = entityType
    this.#numberOfShards = numberOfShards
    const usual = new HashCodeMessageExtractor<unknown>(numberOfShards)
    if (functions === undefined) {
      const used = (extractor ?? usual) as MessageExtractor<unknown, unknown>
      this.#read = (incoming) => readWith(used, incoming)
      this.#place = (entityId) => used.shardId(entityId)
      this.#isStable = isOwnExtractor(used)
      this.extractorId = used.extractorId ?? unnamedRule
    } else {
      const { extractShardId } = functions
      const { extractEntityId } = functions as ExtractorFunctions<unknown, unknown>
      this.#read = (incoming) =>
        extractEntityId === undefined
          ? readWith(usual, incoming)
          : read(extractEntityId(incoming), incoming)
      this.#place = extractShardId ?? ((entityId) => usual.shardId(entityId))
      this.#isStable = extractShardId === undefined
      this.extractorId = functions.extractorId ?? (extractShardId ? unnamedRule : usual.extractorId)
    }
  }

  /** Throws `InvalidEntityId`, `InvalidShardId`, `ExtractorFailed` and `ExtractorUnstable`. */
  shardOf(entityId: unknown): ShardId {
    checkEntityId(entityId)
    const shard = this.#placed(entityId)
    if (this.#isStable) return shard
    const again = this.#placed(entityId)
    if (again === shard) return shard
    throw new ExtractorUnstable(this.#entityType, entityId, [shard, again])
  }

  /** What a region was told, taken apart. Throws `NoEntityInMessage` and `ExtractorFailed`. */
  read(incoming: unknown): ShardingEnvelope {
    const found = isInstance(incoming, MadeEnvelope) ? incoming : this.#found(incoming)
    if (found?.message === undefined) throw new NoEntityInMessage(this.#entityType, incoming)
    return found
  }

  /** The extractor is asked first, since its messages may look like an envelope; what it does not know may be one. */
  #found(incoming: unknown): ShardingEnvelope | undefined {
    if (incoming === null) return undefined
    try {
      return this.#read(incoming) ?? (isEnvelope(incoming) ? incoming : undefined)
    } catch (error) {
      if (isEnvelope(incoming)) return incoming
      throw new ExtractorFailed(this.#entityType, error)
    }
  }

  #placed(entityId: EntityId): ShardId {
    const numberOfShards = this.#numberOfShards
    let shard: ShardId | string
    try {
      shard = this.#place(entityId)
    } catch (error) {
      throw new ExtractorFailed(this.#entityType, error)
    }
    if (typeof shard === 'number' && isShardId(shard, numberOfShards)) return shard
    const isText = problemWithId(shard, shardTextBytesMax) === undefined
    if (isText) return shardOf(shard as string, numberOfShards)
    throw new InvalidShardId(this.#entityType, shard, numberOfShards)
  }
}

/** Of an error that `Addressing` throws; undefined for any other. */
export function reasonOf(error: unknown): ShardingDeadLetterReason | undefined {
  if (error instanceof NoEntityInMessage) return 'no-entity'
  if (error instanceof InvalidEntityId) return 'invalid-entity-id'
  if (error instanceof InvalidShardId) return 'invalid-shard-id'
  if (error instanceof ExtractorFailed) return 'extractor-failed'
  return error instanceof ExtractorUnstable ? 'extractor-unstable' : undefined
}

function readWith(
  extractor: MessageExtractor<unknown, unknown>,
  incoming: unknown,
): ShardingEnvelope | undefined {
  const entityId = extractor.entityId(incoming)
  return entityId === undefined
    ? undefined
    : { entityId, message: extractor.unwrapMessage(incoming) }
}

/** What a function may answer. Whether the id can be one is looked at where its shard is found. */
function read(found: unknown, incoming: unknown): ShardingEnvelope | undefined {
  if (found === undefined) return undefined
  if (isRecord(found)) return found as unknown as ShardingEnvelope
  return { entityId: found as EntityId, message: incoming }
}

function isEnvelope(incoming: unknown): incoming is ShardingEnvelope {
  if (!isRecord(incoming) || typeof incoming['entityId'] !== 'string') return false
  return incoming['message'] !== undefined && Object.keys(incoming).length === 2
}
