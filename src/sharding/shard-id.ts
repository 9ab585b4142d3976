/** Which shard an entity belongs to, and what may name an entity. Both can never change for stored entities. */
import { stableHash } from '../foundation/stable-hash.ts'
import { problemWithId } from '../foundation/text.ts'
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

/** The longest text that an extractor may give for a shard, in bytes. */
export const shardTextBytesMax = 128

/** Whether a number from outside can be a shard. */
export function isShardId(shard: number, numberOfShards: number): boolean {
  return Number.isSafeInteger(shard) && shard >= 0 && shard < numberOfShards
}

/** Throws `InvalidEntityId` for what would change, collide or not fit on its way to a store. */
export function checkEntityId(entityId: unknown): asserts entityId is EntityId {
  const problem = problemWithId(entityId, entityIdBytesMax)
  if (problem !== undefined) throw new InvalidEntityId(entityId, problem)
}
