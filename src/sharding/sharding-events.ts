/** What sharding tells on the event stream about this node. Made only when somebody listens. */
import type { NodeId } from '../remote/index.ts'
import type { EntityId, ShardId } from './shard-id.ts'

interface EntityNews {
  readonly typeName: string
  readonly entityId: EntityId
  readonly shard: ShardId
  /** Tells the lives of the entity in one life of its shard apart. */
  readonly instance: number
  readonly node: NodeId
}

export class EntityStarted implements EntityNews {
  readonly type = 'EntityStarted'
  readonly typeName: string
  readonly entityId: EntityId
  readonly shard: ShardId
  readonly instance: number
  readonly node: NodeId

  constructor({ typeName, entityId, shard, instance, node }: EntityNews) {
    this.typeName = typeName
    this.entityId = entityId
    this.shard = shard
    this.instance = instance
    this.node = node
  }
}

/** Its last code has run. */
export class EntityStopped implements EntityNews {
  readonly type = 'EntityStopped'
  readonly typeName: string
  readonly entityId: EntityId
  readonly shard: ShardId
  readonly instance: number
  readonly node: NodeId

  constructor({ typeName, entityId, shard, instance, node }: EntityNews) {
    this.typeName = typeName
    this.entityId = entityId
    this.shard = shard
    this.instance = instance
    this.node = node
  }
}

/** A shard takes messages on this node. */
export class ShardStarted {
  readonly type = 'ShardStarted'
  readonly typeName: string
  readonly shard: ShardId
  readonly epoch: number
  readonly node: NodeId

  constructor(typeName: string, shard: ShardId, epoch: number, node: NodeId) {
    this.typeName = typeName
    this.shard = shard
    this.epoch = epoch
    this.node = node
  }
}

/** The last entity of this life of the shard has stopped. */
export class ShardStopped {
  readonly type = 'ShardStopped'
  readonly typeName: string
  readonly shard: ShardId
  readonly epoch: number
  readonly node: NodeId

  constructor(typeName: string, shard: ShardId, epoch: number, node: NodeId) {
    this.typeName = typeName
    this.shard = shard
    this.epoch = epoch
    this.node = node
  }
}

/** This node decides about the homes of the shards of that type. */
export class CoordinatorStarted {
  readonly type = 'CoordinatorStarted'
  readonly typeName: string
  readonly term: number

  constructor(typeName: string, term: number) {
    this.typeName = typeName
    this.term = term
  }
}

export class CoordinatorStopped {
  readonly type = 'CoordinatorStopped'
  readonly typeName: string
  readonly term: number

  constructor(typeName: string, term: number) {
    this.typeName = typeName
    this.term = term
  }
}
