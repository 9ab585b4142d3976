/** What users of sharding can do wrong, or meet. Each says what happened, and what to look at. */
import { CodedError } from '../foundation/coded-error.ts'
import { show } from '../foundation/show.ts'

export class InvalidEntityId extends CodedError {
  readonly code = 'INVALID_ENTITY_ID'
  readonly entityId: unknown

  constructor(entityId: unknown, problem: string) {
    super(`${show(entityId)} cannot be an entity id: ${problem}.`)
    this.entityId = entityId
  }
}

export class InvalidEntityTypeName extends CodedError {
  readonly code = 'INVALID_ENTITY_TYPE_NAME'
  readonly entityType: unknown

  constructor(entityType: unknown, problem: string) {
    super(`${show(entityType)} cannot be the name of an entity type: ${problem}.`)
    this.entityType = entityType
  }
}

export class EntityTypeNotStarted extends CodedError {
  readonly code = 'ENTITY_TYPE_NOT_STARTED'
  readonly entityType: string

  constructor(entityType: string, started: readonly string[]) {
    const known = started.length === 0 ? 'none is' : `started: ${started.join(', ')}`
    super(
      `The entity type ${show(entityType)} is not started on this node; ${known}. Call init for it, or startProxy where its entities should not live.`,
    )
    this.entityType = entityType
  }
}

export class EntityTypeRedefined extends CodedError {
  readonly code = 'ENTITY_TYPE_REDEFINED'
  readonly entityType: string

  constructor(entityType: string, differences: readonly string[]) {
    super(
      `The entity type ${show(entityType)} is already started on this node with another ${differences.join(', ')}. Define it once, and call init with the same values.`,
    )
    this.entityType = entityType
  }
}

/** A limit can be changed only where there is one. */
export class NoActiveEntityLimit extends CodedError {
  readonly code = 'NO_ACTIVE_ENTITY_LIMIT'
  readonly entityType: string

  constructor(entityType: string) {
    super(
      `The entity type ${show(entityType)} has no limit of active entities that could be changed. Define it with passivation: { activeEntityLimit: … }.`,
    )
    this.entityType = entityType
  }
}

/** The extractor of the type gave something that is no shard. */
export class InvalidShardId extends CodedError {
  readonly code = 'INVALID_SHARD_ID'

  constructor(entityType: string, shard: unknown, numberOfShards: number) {
    super(
      `The extractor of ${show(entityType)} gave the shard ${show(shard)}. Give a whole number from 0 to ${numberOfShards - 1}, or a text of 1 to 128 bytes, the same for an id on every node.`,
    )
  }
}

/** The extractor of the type has thrown: nobody knows for whom the message is. */
export class ExtractorFailed extends CodedError {
  readonly code = 'EXTRACTOR_FAILED'

  constructor(entityType: string, cause: unknown) {
    const problem = cause instanceof Error ? cause.message : show(cause)
    super(
      `The extractor of ${show(entityType)} failed: ${problem}. The message was not delivered; let the extractor answer undefined for what names no entity.`,
      { cause },
    )
  }
}

/** The extractor of the type gave two shards for one entity, which could then live twice. */
export class ExtractorUnstable extends CodedError {
  readonly code = 'EXTRACTOR_UNSTABLE'
  readonly entityId: string

  constructor(entityType: string, entityId: string, shards: readonly unknown[]) {
    super(
      `The extractor of ${show(entityType)} gave the shards ${shards.map((shard) => show(shard)).join(' and ')} for entity ${show(entityId)}. Compute the shard from the id alone, in the same way on every node.`,
    )
    this.entityId = entityId
  }
}

/** An ask whose message was dropped on its way: no answer will come. */
export class EntityMessageDropped extends CodedError {
  readonly code = 'ENTITY_MESSAGE_DROPPED'
  readonly entityType: string
  readonly entityId: string
  readonly reason: string
  /** With `mailbox-full`: how many messages waited for the entity, where that is known. */
  readonly waiting: number | undefined

  constructor(entityType: string, entityId: string, reason: string, waiting?: number) {
    const full =
      reason === 'mailbox-full'
        ? ` (${waiting === undefined ? 'the largest number of messages allowed' : `${waiting} messages`} wait for it: setting sharding.mailboxMessagesMax)`
        : ''
    super(
      `The message for entity ${show(entityId)} of type ${show(entityType)} was dropped: ${reason}${full}. It was not delivered.`,
    )
    this.entityType = entityType
    this.entityId = entityId
    this.reason = reason
    this.waiting = waiting
  }
}

/** The coordinator does not let this node's region take part: nothing can be sent through it. */
export class RegionRefused extends CodedError {
  readonly code = 'REGION_REFUSED'
  readonly entityType: string
  readonly problem: string

  constructor(entityType: string, problem: string) {
    super(`The region of ${show(entityType)} on this node was refused: ${problem}.`)
    this.entityType = entityType
    this.problem = problem
  }
}

/** The extractor found no entity in a message that was sent to a region. */
export class NoEntityInMessage extends CodedError {
  readonly code = 'NO_ENTITY_IN_MESSAGE'

  constructor(entityType: string, message: unknown) {
    super(
      `${show(message)} names no entity of type ${show(entityType)}. Send { entityId, message }, or start the type with an extractor that understands it.`,
    )
  }
}

/** Places of shards that cannot be, cannot be read, or are too many. Nothing was changed. */
export class InvalidShardLocations extends CodedError {
  readonly code = 'INVALID_SHARD_LOCATIONS'
}

/** Somebody else has changed the places of shards since they had the revision that was expected. Nothing was changed. */
export class ShardLocationsChanged extends CodedError {
  readonly code = 'SHARD_LOCATIONS_CHANGED'
  readonly expectedRevision: number
  readonly revision: number

  constructor(entityType: string, expectedRevision: number, revision: number) {
    super(
      `The places of the shards of ${entityType} are at revision ${revision}, and ${expectedRevision} was expected: somebody has changed them. Read them again, and decide anew.`,
    )
    this.expectedRevision = expectedRevision
    this.revision = revision
  }
}

/** The store did not answer in time. A change may be stored all the same. */
export class ShardLocationsTimeout extends CodedError {
  readonly code = 'SHARD_LOCATIONS_TIMEOUT'

  constructor(entityType: string, time: string) {
    super(
      `The store has not answered within ${time} about the places of the shards of ${entityType}. Look at the store. A change may be stored all the same: read them again; the same change once more does no harm.`,
    )
  }
}
