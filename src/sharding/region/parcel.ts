/** A message on its way to an entity. */
import type { Question } from '../../actor/index.ts'
import type { EntityId } from '../shard-id.ts'

export interface Parcel {
  readonly entityId: EntityId
  readonly message: unknown
  /** When it was asked on this node: travels as a number, and hears at once when the message is dropped. */
  readonly question: Question | undefined
}
