/** A message on its way to an entity. */
import type { Question } from '../../actor/internals.ts'
import type { EntityId } from '../shard-id.ts'

export interface Parcel {
  readonly entityId: EntityId
  readonly message: unknown
  /** When it was asked on this node: travels as a number, and hears at once when the message is dropped. */
  readonly question: Question | undefined
}

/** As it leaves this node after a wait; undefined when nobody waits for it any more. */
export function afterWaiting(parcel: Parcel): Parcel | undefined {
  const { entityId, question } = parcel
  if (question === undefined) return parcel
  const message = question.afterWaiting(parcel.message)
  return message === undefined ? undefined : { entityId, message, question }
}
