/**
 * A set of very many ids, in parts: a platform's set that doubles puts all it has in new places, and with a million of them that
 * alone would hold the event loop for tens of milliseconds. May be changed while it is iterated, as that of the platform.
 */
import type { EntityId } from '../shard-id.ts'

const partCount = 64

export class IdSet {
  readonly #parts: readonly Set<EntityId>[] = Array.from({ length: partCount }, () => new Set())
  #size = 0

  get size(): number {
    return this.#size
  }

  has(entityId: EntityId): boolean {
    return this.#partOf(entityId).has(entityId)
  }

  add(entityId: EntityId): void {
    const part = this.#partOf(entityId)
    const before = part.size
    part.add(entityId)
    this.#size += part.size - before
  }

  delete(entityId: EntityId): void {
    if (this.#partOf(entityId).delete(entityId)) this.#size--
  }

  *[Symbol.iterator](): Generator<EntityId, undefined> {
    for (const part of this.#parts) yield* part
    return undefined
  }

  /** By the end of the id, where most differ. */
  #partOf(entityId: EntityId): Set<EntityId> {
    const last = entityId.length - 1
    const mixed = entityId.charCodeAt(last) + 10 * entityId.charCodeAt(Math.max(0, last - 1))
    return this.#parts[mixed % partCount] as Set<EntityId>
  }
}
