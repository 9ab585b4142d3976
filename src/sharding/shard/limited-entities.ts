/** The entities of one shard that take messages, under a limit; without one, nobody is ever too many. */
import { assert } from '../../foundation/assert.ts'
import type { ActiveEntities } from '../passivation/active-entities.ts'
import type { Victims } from '../passivation/passivation-strategy.ts'
import { Tracked } from '../passivation/tracked.ts'
import type { Entities, Entity } from './entities.ts'

export class LimitedEntities<Cell, Parcel> {
  readonly #entities: Entities<Cell, Parcel>
  readonly #active: ActiveEntities | undefined

  constructor(entities: Entities<Cell, Parcel>, active: ActiveEntities | undefined) {
    this.#entities = entities
    this.#active = active
  }

  /** A message for it. */
  touch({ tracked }: Entity<Cell, Parcel>): void {
    if (tracked !== undefined) this.#active?.touch(tracked)
  }

  /** It takes messages from now on. Answers who has to rest for it; maybe it itself. */
  add(entity: Entity<Cell, Parcel>): Entity<Cell, Parcel>[] {
    if (this.#active === undefined) return []
    entity.tracked = new Tracked(entity.entityId)
    return this.#found(this.#active.add(entity.tracked))
  }

  /** It takes none any more. */
  remove(entity: Entity<Cell, Parcel>): void {
    if (entity.tracked !== undefined) this.#active?.remove(entity.tracked)
    entity.tracked = undefined
  }

  /** One that has not stopped in good time takes a place until it has ended. */
  overstays(instance: number): void {
    this.#active?.overstays(instance)
  }

  ended(instance: number): void {
    this.#active?.ended(instance)
  }

  limitTo(limit: number): void {
    this.#active?.limitTo(limit)
  }

  /** Who has to rest, by what has changed. */
  settle(): Entity<Cell, Parcel>[] {
    return this.#active === undefined ? [] : this.#found(this.#active.settle())
  }

  #found(victims: Victims): Entity<Cell, Parcel>[] {
    return victims.map(({ entityId }) => {
      const entity = this.#entities.get(entityId)
      assert(entity?.isStopping === false, 'only entities that take messages are tracked')
      return entity
    })
  }
}
