/**
 * Remembered entities that have failed, until they are started again: after a while, or by their next message. One that fails again
 * soon after that rests anew, and is named once: by the end of its last rest.
 */
import type { EntityId } from '../shard-id.ts'
import type { Entities, Entity } from './entities.ts'
import type { RememberedEntities } from './remembered-entities.ts'
import { StopGrace } from './stop-grace.ts'

export class RestingEntities<Cell, Parcel> {
  readonly #entities: Entities<Cell, Parcel>
  readonly #remembered: RememberedEntities
  readonly #rest = new StopGrace()
  /** The life that failed last, of each whose time is not over. */
  readonly #lastLives = new Map<EntityId, number>()

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
    this.#rest.asked(entity)
    this.#lastLives.set(entity.entityId, entity.instance)
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
      if (this.#lastLives.get(entityId) !== instance) return []
      this.#lastLives.delete(entityId)
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
