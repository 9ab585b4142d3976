/** The entities of one shard with the messages that wait for them; bounded by one count over all of them. */
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import type { Tracked } from '../passivation/tracked.ts'
import type { EntityId } from '../shard-id.ts'

/** An entity that runs, and what its owner keeps with it: the way to its mailbox. */
export interface LiveEntity<Cell> {
  readonly entityId: EntityId
  readonly instance: number
  /** Set by whoever performs `StartEntity`. */
  cell: Cell | undefined
}

export interface Entity<Cell, Parcel> extends LiveEntity<Cell> {
  /** 0 while it does not run: it waits for the thaw, for the store, or for the end of its rest. */
  instance: number
  isStopping: boolean
  /** The sweep before its last message, or before its stop was asked for. */
  touched: number
  waiting: RingBuffer<Parcel> | undefined
  /** While it takes messages under a limit. */
  tracked: Tracked | undefined
}

export class Entities<Cell, Parcel> {
  readonly #waitingMax: number
  readonly #entities = new Map<EntityId, Entity<Cell, Parcel>>()
  #waitingCount = 0
  #lastInstance = 0
  /** The answer given last: one message asks for the same entity several times. */
  #latest: Entity<Cell, Parcel> | undefined
  #latestAbsent: EntityId | undefined

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax
  }

  get size(): number {
    return this.#entities.size
  }

  /** Those that run, or that messages wait for. */
  get ids(): EntityId[] {
    const ids: EntityId[] = []
    for (const { entityId, instance, waiting } of this.#entities.values()) {
      if (instance > 0 || waiting !== undefined) ids.push(entityId)
    }
    return ids
  }

  /** Messages that wait, for all entities. */
  get waitingCount(): number {
    return this.#waitingCount
  }

  [Symbol.iterator](): IterableIterator<Entity<Cell, Parcel>> {
    return this.#entities.values()
  }

  get(entityId: EntityId): Entity<Cell, Parcel> | undefined {
    if (this.#latest?.entityId === entityId) return this.#latest
    if (this.#latestAbsent === entityId) return undefined
    const found = this.#entities.get(entityId)
    if (found === undefined) this.#latestAbsent = entityId
    else this.#latest = found
    return found
  }

  /** undefined for news of an earlier life. */
  find(entityId: EntityId, instance: number): Entity<Cell, Parcel> | undefined {
    const entity = this.get(entityId)
    return entity?.instance === instance ? entity : undefined
  }

  nextInstance(): number {
    return ++this.#lastInstance
  }

  /** `runs` is false for one that can only wait. */
  add(entityId: EntityId, runs: boolean, touched: number): Entity<Cell, Parcel> {
    const instance = runs ? this.nextInstance() : 0
    // Written out: as a spread, objects of seven fields take twice the memory and four times as long to read.
    const entity: Entity<Cell, Parcel> = {
      entityId,
      instance,
      cell: undefined,
      isStopping: !runs,
      touched,
      waiting: undefined,
      tracked: undefined,
    }
    this.#entities.set(entityId, entity)
    this.#latest = entity
    this.#latestAbsent = undefined
    return entity
  }

  delete(entity: Entity<Cell, Parcel>): void {
    this.#entities.delete(entity.entityId)
    this.#latest = undefined
  }

  /** False when there is no room. */
  wait(entity: Entity<Cell, Parcel>, parcel: Parcel): boolean {
    if (this.#waitingCount >= this.#waitingMax) return false
    entity.waiting ??= new RingBuffer()
    entity.waiting.push(parcel)
    this.#waitingCount++
    return true
  }

  /** Everything that waited, in order. */
  take(entity: Entity<Cell, Parcel>): Parcel[] {
    const parcels = [...(entity.waiting ?? [])]
    entity.waiting = undefined
    this.#waitingCount -= parcels.length
    return parcels
  }
}
