/**
 * Addresses of entities that are kept for whoever names the same entity again. Each has one place, by the hash of its id;
 * a later one takes it. So keeping one costs a store, however many entities there are, and no more than these are kept.
 */
import { stableHash } from '../../foundation/stable-hash.ts'
import type { EntityId } from '../shard-id.ts'

/** A power of two. */
const places = 8192

export class KeptRefs<Ref extends { readonly entityId: EntityId }> {
  readonly #refs: (Ref | undefined)[] = new Array<undefined>(places).fill(undefined)
  readonly #make: (entityId: EntityId) => Ref

  constructor(make: (entityId: EntityId) => Ref) {
    this.#make = make
  }

  /** Throws what making one throws. */
  of(entityId: EntityId): Ref {
    // What is no text has no hash; whoever makes the ref says so.
    if (typeof entityId !== 'string') return this.#make(entityId)
    const place = stableHash(entityId) & (places - 1)
    const kept = this.#refs[place]
    if (kept?.entityId === entityId) return kept
    return (this.#refs[place] = this.#make(entityId))
  }
}
