/** Why messages to entities are lost on their way: what the machines of regions and shards drop, and what no machine sees. */
import type { DropReason } from './region/region-inputs.ts'
import type { ShardDropReason } from './shard/shard-inputs.ts'

/** Why a message to an entity found nobody. */
export type ShardingDeadLetterReason =
  | Extract<DropReason | ShardDropReason, 'region-stopped' | 'region-refused'>
  /** It names no entity, or one that cannot be. */
  | 'no-entity'

/** Why a message to an entity is dropped on purpose. */
export type ShardingDroppedReason = Exclude<DropReason | ShardDropReason, ShardingDeadLetterReason>
