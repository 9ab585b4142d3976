/** What sharding tells on the event stream about this node. News of entities and shards is made only when somebody listens. */
import type { NodeId } from '../foundation/node-id.ts'
import type { DuplicateOwnership } from './inspection/reports.ts'
import type { EntityId, ShardId } from './shard-id.ts'

/** Which life of which entity. */
interface EntityLife {
  readonly entityType: string
  readonly entityId: EntityId
  readonly shard: ShardId
  /** Tells the lives of the entity in one life of its shard apart. */
  readonly instance: number
  readonly node: NodeId
}

abstract class EntityNews implements EntityLife {
  readonly entityType: string
  readonly entityId: EntityId
  readonly shard: ShardId
  readonly instance: number
  readonly node: NodeId

  constructor({ entityType, entityId, shard, instance, node }: EntityLife) {
    this.entityType = entityType
    this.entityId = entityId
    this.shard = shard
    this.instance = instance
    this.node = node
  }
}

export class EntityStarted extends EntityNews {
  readonly type = 'EntityStarted'
}

/** Its last code has run. */
export class EntityStopped extends EntityNews {
  readonly type = 'EntityStopped'
}

abstract class ShardNews {
  readonly entityType: string
  readonly shard: ShardId
  readonly epoch: number
  readonly node: NodeId

  constructor(entityType: string, shard: ShardId, epoch: number, node: NodeId) {
    this.entityType = entityType
    this.shard = shard
    this.epoch = epoch
    this.node = node
  }
}

/** A shard takes messages on this node. */
export class LocalShardStarted extends ShardNews {
  readonly type = 'LocalShardStarted'
}

/** The last entity of this life of the shard has stopped. */
export class LocalShardStopped extends ShardNews {
  readonly type = 'LocalShardStopped'
}

abstract class CoordinatorNews {
  readonly entityType: string
  readonly term: number

  constructor(entityType: string, term: number) {
    this.entityType = entityType
    this.term = term
  }
}

/** This node decides about the homes of the shards of that type. */
export class CoordinatorStarted extends CoordinatorNews {
  readonly type = 'CoordinatorStarted'
}

export class CoordinatorStopped extends CoordinatorNews {
  readonly type = 'CoordinatorStopped'
}

/**
 * One shard, or one entity, lives at two homes at once: what must never be. Each owner is named, the earlier life first. It
 * means that two clusters share a store, that a node was given up while it ran on, or that extractors differ between nodes.
 */
export class DuplicateOwner implements DuplicateOwnership {
  readonly type = 'DuplicateOwner'
  readonly entityType: string
  readonly shard: ShardId
  readonly entityId?: EntityId
  readonly owners: DuplicateOwnership['owners']

  constructor(entityType: string, { shard, entityId, owners }: DuplicateOwnership) {
    this.entityType = entityType
    this.shard = shard
    if (entityId !== undefined) this.entityId = entityId
    this.owners = owners
  }
}

/** A region was told to stop and could not hand all of this over in time: it was stopped where it was. */
export class HandOverIncomplete {
  readonly type = 'HandOverIncomplete'
  readonly entityType: string
  readonly node: NodeId
  /** With the number of entities that each had left. */
  readonly shards: readonly { readonly shard: ShardId; readonly entities: number }[]
  /** Messages that waited for a home. */
  readonly buffered: number

  constructor(
    entityType: string,
    { node, shards, buffered }: Pick<HandOverIncomplete, 'node' | 'shards' | 'buffered'>,
  ) {
    this.entityType = entityType
    this.node = node
    this.shards = shards
    this.buffered = buffered
  }
}
