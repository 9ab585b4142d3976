/**
 * Entities by their last use, each linked to its neighbours: taking in, moving and removing take the same short time however
 * many there are, and allocate nothing. `rank` and the neighbours of the list itself are for lists that stand in an order.
 */
import { assert } from '../../foundation/assert.ts'
import type { Tracked } from './tracked.ts'

export class RecencyList {
  rank: number
  lower: RecencyList | undefined
  higher: RecencyList | undefined
  oldest: Tracked | undefined
  newest: Tracked | undefined
  size = 0

  constructor(rank = 0) {
    this.rank = rank
  }

  /** As the one used last. */
  add(entity: Tracked): void {
    assert(entity.list === undefined, 'an entity is in one list at a time')
    entity.list = this
    this.size++
    this.#append(entity)
  }

  remove(entity: Tracked): void {
    assert(entity.list === this, 'an entity is removed from the list that it is in')
    this.#unlink(entity)
    entity.list = undefined
    this.size--
  }

  /** It is the one used last from now on. */
  touch(entity: Tracked): void {
    if (this.newest === entity) return
    this.#unlink(entity)
    this.#append(entity)
  }

  /** From the one that was not used for the longest time on. */
  *[Symbol.iterator](): IterableIterator<Tracked> {
    for (let entity = this.oldest; entity !== undefined; entity = entity.newer) yield entity
  }

  #append(entity: Tracked): void {
    const { newest } = this
    entity.older = newest
    entity.newer = undefined
    if (newest === undefined) this.oldest = entity
    else newest.newer = entity
    this.newest = entity
  }

  #unlink(entity: Tracked): void {
    const { older, newer } = entity
    if (older === undefined) this.oldest = newer
    else older.newer = newer
    if (newer === undefined) this.newest = older
    else newer.older = older
  }
}
