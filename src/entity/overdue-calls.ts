/**
 * Calls whose callers have given up before their turn came. They are not begun: work that nobody waits for would only keep
 * those waiting who still do. Looked at once, just before the command starts; what has begun is never cut short by it.
 *
 * A caller on this node is asked itself. For one on another node the call says how long it may still wait, and that counts
 * from its arrival by the clock of this node: clocks of different nodes are never compared. Time on the way is not seen.
 */
import { type ActorContext, Dropped } from '../actor/index.ts'
import { Question } from '../actor/internals.ts'
import { RemoteQuestion } from '../remote/internals.ts'
import type { ShardingDroppedReason } from '../sharding/index.ts'
import type { EntityCall } from './entity-messages.ts'

/** True for a call that is not to be begun: it has become a dead letter. */
export function isOverdue(call: EntityCall, context: ActorContext<EntityCall>): boolean {
  if (!hasExpired(call, context)) return false
  const { self, system } = context
  system.runtime.lost(new Dropped(call, self, 'expired' satisfies ShardingDroppedReason))
  return true
}

function hasExpired(
  { replyTo, remainingMs }: EntityCall,
  { system }: ActorContext<EntityCall>,
): boolean {
  if (replyTo instanceof Question) return replyTo.isOver
  // It may come from another version, or from somebody who means harm: anything but a number is no limit.
  if (typeof remainingMs !== 'number' || !(replyTo instanceof RemoteQuestion)) return false
  return system.environment.clock.monotonicMs() - replyTo.arrivedMs > remainingMs
}

/** The call as it leaves this node after it has waited here. */
export function withTimeLeft(call: unknown, leftMs: number): EntityCall {
  return { ...(call as EntityCall), remainingMs: Math.max(0, Math.ceil(leftMs)) }
}
