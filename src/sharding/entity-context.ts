/** What an entity is told about itself when it starts, and how it asks for rest. */
import type { ActorRef } from '../actor/index.ts'
import type { EntityId } from './shard-id.ts'

/** Entity -> its shard: stop me until my next message; what comes meanwhile waits for my next life. */
export interface Passivate {
  readonly type: 'Passivate'
  readonly entity: ActorRef<never>
}

export interface EntityContext<in Message> {
  /** Never there: it only ties the context to its entity. */
  readonly accepts?: (message: Message) => void
  readonly entityId: EntityId
  readonly entityType: string
  readonly shard: ActorRef<Passivate>
  /** Asks to be stopped until the next message. The stop comes behind all messages that wait by now. */
  passivate(): void
}
