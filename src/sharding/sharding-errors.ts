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
  readonly typeName: unknown

  constructor(typeName: unknown, problem: string) {
    super(`${show(typeName)} cannot be the name of an entity type: ${problem}.`)
    this.typeName = typeName
  }
}

export class EntityTypeNotStarted extends CodedError {
  readonly code = 'ENTITY_TYPE_NOT_STARTED'
  readonly typeName: string

  constructor(typeName: string, started: readonly string[]) {
    const known = started.length === 0 ? 'none is' : `${started.join(', ')} are`
    super(
      `The entity type ${show(typeName)} is not started on this node; ${known}. Call init for it, or startProxy where its entities shall not live.`,
    )
    this.typeName = typeName
  }
}

export class EntityTypeRedefined extends CodedError {
  readonly code = 'ENTITY_TYPE_REDEFINED'
  readonly typeName: string

  constructor(typeName: string, differences: readonly string[]) {
    super(
      `The entity type ${show(typeName)} is already started on this node with another ${differences.join(', ')}. Define it once, and call init with the same values.`,
    )
    this.typeName = typeName
  }
}

/** The extractor of the type gave something that is no shard. */
export class InvalidShardId extends CodedError {
  readonly code = 'INVALID_SHARD_ID'

  constructor(typeName: string, shard: unknown, numberOfShards: number) {
    super(
      `The extractor of ${show(typeName)} gave the shard ${show(shard)}. Give a whole number from 0 to ${numberOfShards - 1}, the same for an id on every node.`,
    )
  }
}

/** An ask whose message was dropped on its way: no answer will come. */
export class EntityMessageDropped extends CodedError {
  readonly code = 'ENTITY_MESSAGE_DROPPED'
  readonly typeName: string
  readonly entityId: string
  readonly reason: string
  /** With `mailbox-full`: how many messages waited for the entity, where that is known. */
  readonly waiting: number | undefined

  constructor(typeName: string, entityId: string, reason: string, waiting?: number) {
    const full =
      reason === 'mailbox-full'
        ? ` (${waiting === undefined ? 'as many messages as may' : `${waiting} messages`} wait for it: setting sharding.mailboxMessagesMax)`
        : ''
    super(
      `The message for entity ${show(entityId)} of type ${show(typeName)} was dropped: ${reason}${full}. It was not delivered.`,
    )
    this.typeName = typeName
    this.entityId = entityId
    this.reason = reason
    this.waiting = waiting
  }
}

/** The coordinator does not let this node's region take part: nothing can be sent through it. */
export class RegionRefused extends CodedError {
  readonly code = 'REGION_REFUSED'
  readonly typeName: string
  readonly problem: string

  constructor(typeName: string, problem: string) {
    super(`The region of ${show(typeName)} on this node was refused: ${problem}.`)
    this.typeName = typeName
    this.problem = problem
  }
}

/** The extractor found no entity in a message that was sent to a region. */
export class NoEntityInMessage extends CodedError {
  readonly code = 'NO_ENTITY_IN_MESSAGE'

  constructor(typeName: string, message: unknown) {
    super(
      `${show(message)} names no entity of type ${show(typeName)}. Send { entityId, message }, or start the type with an extractor that understands it.`,
    )
  }
}
