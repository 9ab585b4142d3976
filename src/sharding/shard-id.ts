/** Which shard an entity belongs to, and what may name an entity. Both can never change for stored entities. */
import { stableHash } from '../foundation/stable-hash.ts'
import { isWellFormed, utf8Length } from '../foundation/text.ts'
import { InvalidEntityId } from './sharding-errors.ts'

/** From 0 to `numberOfShards - 1`. */
export type ShardId = number

/** Unique within its type. */
export type EntityId = string

/** Small enough for an id to be part of a key in every store, beside the name of its type. */
export const entityIdBytesMax = 512

export function shardOf(entityId: EntityId, numberOfShards: number): ShardId {
  return stableHash(entityId) % numberOfShards
}

/** Whether a number from outside can be a shard. */
export function isShardId(shard: number, numberOfShards: number): boolean {
  return Number.isSafeInteger(shard) && shard >= 0 && shard < numberOfShards
}

/** Throws `InvalidEntityId` for what would change, collide or not fit on its way to a store. */
export function checkEntityId(entityId: unknown): asserts entityId is EntityId {
  if (typeof entityId !== 'string') throw new InvalidEntityId(entityId, 'it is not a string')
  if (entityId === '') throw new InvalidEntityId(entityId, 'it is empty')
  if (entityId.includes('\0')) {
    throw new InvalidEntityId(entityId, 'it contains the character NUL')
  }
  if (!isWellFormed(entityId)) {
    throw new InvalidEntityId(entityId, 'it is not well-formed Unicode (half of a surrogate pair)')
  }
  const bytes = utf8Length(entityId)
  if (bytes > entityIdBytesMax) {
    const problem = `it has ${bytes} bytes in UTF-8 and ${entityIdBytesMax} are allowed`
    throw new InvalidEntityId(entityId, problem)
  }
}
