/**
 * What `self` can do in every command, beside its state: speak to the operator, tell the time, call other entities, rest. Made
 * when it is asked for, so that an idle entity holds nothing of it.
 */
import type { ActorContext } from '../actor/index.ts'
import type { LocalRef } from '../actor/internals.ts'
import type { Logger } from '../foundation/logger.ts'
import { withFields } from '../foundation/with-fields.ts'
import type { Passivate } from '../sharding/index.ts'
import type { AnyEntity, EntityType } from './define-entity.ts'
import { CallToItself } from './entity-errors.ts'
import type { EntityCall } from './entity-messages.ts'
import type { CallOptions, EntityHandle } from './entity-types.ts'
import type { EntityWorld } from './entity-world.ts'

/** Whose `self` it is. */
export interface SelfSite {
  readonly entity: AnyEntity
  readonly id: string
  readonly world: EntityWorld
  readonly context: ActorContext<EntityCall>
}

export function logOf({ entity, id, world, context }: SelfSite): Logger {
  const fields = { entityType: entity.name, entityId: id, node: world.writer }
  return withFields(context.system.log, fields)
}

/** Asks the shard, which stops it behind all that it was asked so far. */
export function askForRest({ self }: ActorContext<EntityCall>): void {
  const passivate: Passivate = { type: 'Passivate', entity: self }
  const { parent } = self as LocalRef
  parent?.tell(passivate)
}

/** Throws what `node.entity` throws, and `CallToItself`. */
export function otherEntity<Commands>(
  { entity, id: ownId, world }: SelfSite,
  type: EntityType<Commands>,
  id: string,
  options: CallOptions | undefined,
): EntityHandle<Commands> {
  const handle = world.entityOf(type, id, options)
  if (type.name === entity.name && id === ownId) throw new CallToItself(entity.name, id)
  return handle
}
