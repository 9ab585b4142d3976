/**
 * Tells callers at once when their call was lost on this node, instead of letting them wait: it was lost on its way, or its
 * entity stopped before its turn came, or before its async command had settled. Answers are no calls, so a lost answer is
 * not answered.
 */
import { internal } from '../actor/internals.ts'
import type { LossListener, LostEntityMessage } from '../sharding/internals.ts'
import { notDone } from './command-reply.ts'
import type { EntityReply } from './entity-messages.ts'
import { type AnyCall, isCall } from './entity-wire.ts'
import type { EntityWork } from './entity-work.ts'

export interface LostCallsOptions {
  readonly sharding: { followLosses(listener: LossListener): void }
  /** Whether entities of this type take calls as they are made here. */
  readonly isOurs: (entityType: string) => boolean
  /** Calls that have been answered. */
  readonly answered: WeakSet<object>
  readonly work: EntityWork
}

/** One per node, for as long as it lives. */
export function answerLostCalls({ sharding, isOurs, answered, work }: LostCallsOptions): void {
  sharding.followLosses({
    concerns: isCall,
    messageLost: (lost) => {
      const { entityType, reason } = lost
      // Those were handled, and their callers told; or their callers are gone.
      if (reason === 'not-stored' || reason === 'expired' || !isOurs(entityType)) return
      const { replyTo } = lost.message as AnyCall
      if (internal(replyTo).isTerminated || answered.has(lost.message as AnyCall)) return
      replyTo.tell(answerTo(lost, work))
    },
    entityStopped: (entityType, entityId) => {
      const call = isOurs(entityType) ? work.of(entityType).takeUnsettled(entityId) : undefined
      if (call === undefined) return
      answered.add(call)
      const { replyTo } = call
      if (!internal(replyTo).isTerminated) replyTo.tell({ type: 'CutOff', version: 1 })
    },
  })
}

function answerTo(lost: LostEntityMessage, work: EntityWork): EntityReply {
  const { entityType, entityId, reason, waiting } = lost
  if (entityId !== undefined && reason.startsWith('terminated')) {
    const failure = work.of(entityType).failureOf(entityId)
    if (failure !== undefined) return notDone(failure)
  }
  return { type: 'NotHandled', version: 1, reason, ...(waiting !== undefined && { waiting }) }
}
