/**
 * The entities of one shard as the children of its actor. They are found where the shard keeps them, so that an entity is
 * kept once and not twice.
 */
import type { ChildActors, LocalRef } from '../../actor/internals.ts'
import { decodeName } from '../entity-name.ts'
import type { Shard } from './shard.ts'

export class ShardFamily implements ChildActors {
  #size = 0
  readonly #shard: () => Shard | undefined

  /** `shard` answers the present life of the shard, if it has one. */
  constructor(shard: () => Shard | undefined) {
    this.#shard = shard
  }

  get size(): number {
    return this.#size
  }

  get(name: string): LocalRef | undefined {
    const entityId = decodeName(name)
    return entityId === undefined ? undefined : this.#shard()?.refOf(entityId)
  }

  has(name: string): boolean {
    return this.get(name) !== undefined
  }

  /** The shard keeps it. */
  set(): void {
    this.#size++
  }

  delete(): void {
    this.#size--
  }

  values(): Iterable<LocalRef> {
    return this.#shard()?.refs ?? []
  }
}
