/** What users of sharding can do wrong. Each says what happened, and what to look at. */
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
