/**
 * The entities of one shard that take messages, under a limit; without one, nobody is ever too many. Uses are only noted, and
 * told some at a time, in order, and before anything is decided: told one by one, each would wait for other memory.
 */
import { assert } from '../../foundation/assert.ts'
import type { ActiveEntities } from '../passivation/active-entities.ts'
import type { Victims } from '../passivation/passivation-strategy.ts'
import { noSeat, type Seat } from '../passivation/seat.ts'
import type { Entities, Entity } from './entities.ts'

export class LimitedEntities<Cell, Parcel> {
  readonly #entities: Entities<Cell, Parcel>
  readonly #active: ActiveEntities | undefined
  /** By seat. */
  readonly #seated: (Entity<Cell, Parcel> | undefined)[] = [undefined]
  readonly #freeSeats: Seat[] = []

  constructor(entities: Entities<Cell, Parcel>, active: ActiveEntities | undefined) {
    this.#entities = entities
    this.#active = active
  }

  /** A message for it. */
  touch(entity: Entity<Cell, Parcel>): void {
    if (this.#entities.noteUse(entity)) this.tellUses()
  }

  /** Of all uses that were noted, in order. */
  tellUses(): void {
    this.#entities.takeUses((seats, count) => this.#active?.touch(seats, count))
  }

  /** It takes messages from now on. Answers who has to rest for it; maybe it itself. */
  add(entity: Entity<Cell, Parcel>): Entity<Cell, Parcel>[] {
    if (this.#active === undefined) return []
    assert(entity.seat === noSeat, 'an entity is tracked once')
    this.tellUses()
    const seat = this.#freeSeats.pop() ?? this.#seated.length
    this.#seated[seat] = entity
    entity.seat = seat
    return this.#stoodUp(this.#active.add(seat, entity.entityId))
  }

  /** It takes none any more. */
  remove({ seat }: Entity<Cell, Parcel>): void {
    // Who had to rest has none already.
    if (seat === noSeat) return
    this.tellUses()
    this.#active?.remove(seat)
    this.#stoodUp([seat])
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
    if (this.#active === undefined) return []
    this.tellUses()
    return this.#stoodUp(this.#active.settle())
  }

  /** Those who had these seats, which are free now. */
  #stoodUp(seats: Victims): Entity<Cell, Parcel>[] {
    return seats.map((seat) => {
      const entity = this.#seated[seat]
      assert(entity?.seat === seat, 'a seat that is taken has an entity')
      this.#seated[seat] = undefined
      this.#freeSeats.push(seat)
      entity.seat = noSeat
      return entity
    })
  }
}
