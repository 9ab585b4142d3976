/** How entities of a type run on a node: the one place that chooses between stored and plain ones. */
import type { Behavior } from '../actor/index.ts'
import type { AnyEntity } from './define-entity.ts'
import { DurableEntities } from './durable-entity.ts'
import type { EntityCall } from './entity-messages.ts'
import type { EntityWorld } from './entity-world.ts'
import { plainEntity } from './plain-entity.ts'

/** Makes the behavior of one entity of the type, each time it starts. */
export function entityBehavior(
  entity: AnyEntity,
  world: EntityWorld,
): (id: string) => Behavior<EntityCall> {
  if (!entity.isDurable) return (id) => plainEntity(entity, id, world)
  const entities = new DurableEntities(entity, world)
  return (id) => entities.behavior(id)
}
