/**
 * Tells callers at once when their call ends in the dead letters of this node, instead of letting them wait: it was lost on
 * its way, or its entity stopped before its turn came, or before its async command had settled. Answers are no calls, so a
 * lost answer is not answered.
 */
import { type ActorSystem, DeadLetter, Dropped } from '../actor/index.ts'
import { internal, LocalRef } from '../actor/internals.ts'
import { decodeName, EntityStopped } from '../sharding/index.ts'
import { notDone } from './command-reply.ts'
import { isEntityCall, type NotHandled } from './entity-messages.ts'
import type { EntityWork } from './entity-work.ts'

export interface LostCallsOptions {
  readonly system: ActorSystem
  /** Whether entities of this type take calls as they are made here. */
  readonly isOurs: (entityType: string) => boolean
  /** Calls that have been answered. */
  readonly answered: WeakSet<object>
  readonly work: EntityWork
}

/** Where entities live: on this node, and as seen from others. */
const homes: ReadonlySet<string | undefined> = new Set(['entities', 'shards'])

/** One per node, for as long as it lives. */
export function answerLostCalls({ system, isOurs, answered, work }: LostCallsOptions): void {
  const answer = ({ message, recipient, reason }: DeadLetter | Dropped): void => {
    // Those were handled, and their callers told; or their callers are gone.
    if (reason === 'not-stored' || reason === 'expired' || !isEntityCall(message)) return
    if (internal(message.replyTo).isTerminated || answered.has(message)) return
    const [root, home, entityType, _shard, name = ''] = recipient.path.elements
    if (root !== 'system' || !homes.has(home) || entityType === undefined) return
    if (!isOurs(entityType)) return
    const failure = reason.startsWith('terminated')
      ? work.of(entityType).failureOf(decodeName(name) ?? name)
      : undefined
    message.replyTo.tell(failure === undefined ? notHandled(reason, recipient) : notDone(failure))
  }
  const cutOff = ({ entityType, entityId }: EntityStopped): void => {
    const call = isOurs(entityType) ? work.of(entityType).takeUnsettled(entityId) : undefined
    if (call === undefined) return
    answered.add(call)
    if (!internal(call.replyTo).isTerminated) call.replyTo.tell({ type: 'CutOff' })
  }
  system.eventStream.subscribe(DeadLetter, answer)
  system.eventStream.subscribe(Dropped, answer)
  system.eventStream.subscribe(EntityStopped, cutOff)
}

function notHandled(reason: string, recipient: unknown): NotHandled {
  const waiting =
    reason === 'mailbox-full' && recipient instanceof LocalRef
      ? recipient.cell?.mailbox?.size
      : undefined
  return { type: 'NotHandled', reason, ...(waiting !== undefined && { waiting }) }
}
