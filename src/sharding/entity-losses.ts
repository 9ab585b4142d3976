/**
 * Tells which messages for entities were lost on this node, and which entities have stopped. Such messages are lost by
 * actors, by regions and on the way to other nodes, and all of them become dead letters there. Sharding has made their
 * addresses, so it is sharding that reads them, and only here.
 */
import { type ActorRef, DeadLetter, Dropped, type EventStream } from '../actor/index.ts'
import { LocalRef, type NameOfActor } from '../actor/internals.ts'
import { show } from '../foundation/show.ts'
import { decodeName } from './entity-name.ts'
import type { EntityId } from './shard-id.ts'
import { EntityStopped } from './sharding-events.ts'

export interface LostEntityMessage {
  readonly entityType: string
  /** undefined when a region gave it up, or it names none. */
  readonly entityId: EntityId | undefined
  readonly message: unknown
  readonly reason: (DeadLetter | Dropped)['reason']
  /** With `mailbox-full`: how many messages waited for the entity. */
  readonly waiting: number | undefined
}

export interface LossListener {
  /** Asked first: other messages are not looked at any further. */
  concerns(message: unknown): boolean
  messageLost(lost: LostEntityMessage): void
  entityStopped(entityType: string, entityId: EntityId): void
}

/** Under `/system`: where entities live on this node, and as seen from others. */
const homes: ReadonlySet<string | undefined> = new Set(['entities', 'shards'])

/** `otherwise` hears of messages that concern no listener and were lost in the actor of an entity. */
export function followLosses(
  eventStream: EventStream,
  listeners: readonly LossListener[],
  otherwise: LossListener['messageLost'],
): void {
  const lost = (event: DeadLetter | Dropped): void => {
    const { message } = event
    const concerned = listeners.filter((listener) => listener.concerns(message))
    const loss = concerned.length > 0 || isInActor(event) ? lossOf(event) : undefined
    if (loss === undefined) return
    for (const listener of concerned) listener.messageLost(loss)
    if (concerned.length === 0) otherwise(loss)
  }
  eventStream.subscribe(DeadLetter, lost)
  eventStream.subscribe(Dropped, lost)
}

export function followStops(eventStream: EventStream, listener: LossListener): void {
  eventStream.subscribe(EntityStopped, ({ entityType, entityId }) =>
    listener.entityStopped(entityType, entityId),
  )
}

/** For logs: an entity is its type and id, wherever it lives. */
export function nameOfEntity(ref: ActorRef<never>): ReturnType<NameOfActor> {
  const [root, home, type, _shard, name] = ref.path.elements
  if (root !== 'system' || !homes.has(home) || type === undefined) return undefined
  const entityType = decodeName(type) ?? type
  if (name === undefined) return { text: `an entity of ${entityType}`, fields: { entityType } }
  const entityId = decodeName(name) ?? name
  return { text: `${entityType} ${show(entityId)}`, fields: { entityType, entityId } }
}

/** Nobody else has heard of it then: what regions and links lose they tell themselves. */
function isInActor({ reason, message }: DeadLetter | Dropped): boolean {
  if (typeof message !== 'object' || message === null) return false
  return reason.startsWith('terminated') || reason.endsWith('stash-full')
}

function lossOf({
  message,
  recipient,
  reason,
}: DeadLetter | Dropped): LostEntityMessage | undefined {
  const [root, home, type, _shard, name] = recipient.path.elements
  if (root !== 'system' || !homes.has(home) || type === undefined) return undefined
  const entityType = decodeName(type) ?? type
  const entityId = name === undefined ? undefined : decodeName(name)
  const waiting = reason === 'mailbox-full' ? mailOf(recipient) : undefined
  return { entityType, entityId, message, reason, waiting }
}

function mailOf(recipient: ActorRef<never>): number | undefined {
  return recipient instanceof LocalRef ? recipient.cell?.mailbox?.size : undefined
}
