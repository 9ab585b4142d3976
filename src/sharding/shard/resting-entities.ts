/**
 * Remembered entities that have failed, until they are started again: after a while, or by their next message. One that a
 * message started and that failed again rests anew: only its latest rest counts when the time of several is over.
 */
import type { EntityId } from '../shard-id.ts'
import type { Entities, Entity } from './entities.ts'
import type { RememberedEntities } from './remembered-entities.ts'
import { StopGrace } from './stop-grace.ts'

export class RestingEntities<Cell, Parcel> {
  readonly #entities: Entities<Cell, Parcel>
  readonly #remembered: RememberedEntities
  readonly #rest = new StopGrace()
  /** Which instance it was that failed last, of those whose time is not over. */
  readonly #failed = new Map<EntityId, number>()

  constructor(entities: Entities<Cell, Parcel>, remembered: RememberedEntities) {
    this.#entities = entities
    this.#remembered = remembered
  }

  /** Whether the time of those that came lately begins now. */
  begins(): boolean {
    return this.#rest.begins()
  }

  add(entity: Entity<Cell, Parcel>): void {
    this.#remembered.failed(entity.entityId)
    this.#failed.set(entity.entityId, entity.instance)
    this.#rest.asked(entity)
    entity.instance = 0
    entity.isStopping = true
  }

  /** Whether there are more whose time is over. */
  get isRunning(): boolean {
    return this.#rest.isRunning
  }

  /** Whose time is over, so many of them at the most, and who still rest. */
  due(count: number): Entity<Cell, Parcel>[] {
    return this.#rest.ends(count).flatMap(({ entityId, instance }) => {
      if (this.#failed.get(entityId) !== instance) return []
      this.#failed.delete(entityId)
      const entity = this.#entities.get(entityId)
      return entity !== undefined && this.#isResting(entity) ? [entity] : []
    })
  }

  /** They are remembered, and that is all there is of them. */
  forget(): void {
    for (const entity of this.#entities) {
      if (this.#isResting(entity) && entity.waiting === undefined) this.#entities.delete(entity)
    }
  }

  #isResting({ entityId }: Entity<Cell, Parcel>): boolean {
    return this.#remembered.standingOf(entityId) === 'resting'
  }
}
