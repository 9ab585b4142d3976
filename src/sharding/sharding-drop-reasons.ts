/** Why messages to entities are lost on their way: what regions and shards drop, and what is lost before them. */

/** Why a region drops a message. */
export type RegionDropReason =
  /** Too many messages waited for homes, or behind those that did. */
  | 'shard-buffer-full'
  /** It came back so late that later ones have gone ahead: delivering it would break the order. */
  | 'overtaken'
  /** The region has stopped, or stopped before a home was found. */
  | 'region-stopped'
  /** The coordinator refuses this region. */
  | 'region-refused'
  /** A call waited for a home until its caller gave up. */
  | 'expired'

/** Why a shard drops a message. */
export type ShardDropReason =
  /** The node stopped before the message had its turn. */
  | 'region-stopped'
  /** The mailbox of the entity is full. */
  | 'mailbox-full'
  /** Too many messages waited for entities that were stopping. */
  | 'entity-buffer-full'
  /** The entity did not stop in time for the hand-off, so the messages behind it had nowhere to go. */
  | 'hand-off-timeout'
  /** The shard failed before the entity could be started: its store did not answer, or its lease was lost. */
  | 'shard-failed'

/** Why a message to an entity found nobody. */
export type ShardingDeadLetterReason =
  | Extract<RegionDropReason, 'region-stopped' | 'region-refused'>
  /** It names no entity. */
  | 'no-entity'
  /** What it names cannot be the id of an entity: it is empty, too long, or no text. */
  | 'invalid-entity-id'
  /** The extractor gave something for its entity that is no shard. */
  | 'invalid-shard-id'
  /** The extractor has thrown. */
  | 'extractor-failed'
  /** The extractor gave two shards for one entity, one after the other or on two nodes. */
  | 'extractor-unstable'

/** Why a message to an entity is dropped on purpose. */
export type ShardingDroppedReason = Exclude<
  RegionDropReason | ShardDropReason,
  ShardingDeadLetterReason
>
