/**
 * All ids that a shard remembers, for its store, which may go through them with pauses: an id goes from those that sleep to
 * those that run or rest, and never back, so none is missed that stays remembered.
 */
import type { RememberedIds } from '../remembering/remember-store.ts'
import type { Entities } from './entities.ts'
import type { RememberedEntities } from './remembered-entities.ts'

export function rememberedIn<Cell, Parcel>(
  remembered: RememberedEntities,
  entities: Entities<Cell, Parcel>,
): RememberedIds {
  return {
    get size() {
      return remembered.asleep.size + entities.size
    },
    *[Symbol.iterator]() {
      yield* remembered.asleep
      for (const { entityId, instance } of entities) {
        const isThere = instance > 0 || remembered.standingOf(entityId) === 'resting'
        if (isThere) yield entityId
      }
    },
  }
}
