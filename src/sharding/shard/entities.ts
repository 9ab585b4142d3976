/** The entities of one shard with the messages that wait for them; bounded by one count over all of them. */
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import { noSeat, type Seat } from '../passivation/seat.ts'
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
  /** `noSeat` unless it takes messages under a limit. */
  seat: Seat
}

/** Uses that are noted before the strategy of a limit hears of them. */
const notedUsesMax = 128

export class Entities<Cell, Parcel> {
  readonly #waitingMax: number
  readonly #entities = new Map<EntityId, Entity<Cell, Parcel>>()
  #waitingCount = 0
  #lastInstance = 0
  /** The answer given last: one message asks for the same entity several times. */
  #latest: Entity<Cell, Parcel> | undefined
  #latestAbsent: EntityId | undefined
  /** Here and not behind a limit: every message comes by here anyway, and another object would be other memory to wait for. */
  #notedUses: Int32Array | undefined
  #notedUsesCount = 0

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

  /** A message for it, under a limit. True when no more uses can be noted: they have to be taken. */
  noteUse({ seat }: Entity<Cell, Parcel>): boolean {
    if (seat === noSeat) return false
    this.#notedUses ??= new Int32Array(notedUsesMax)
    this.#notedUses[this.#notedUsesCount++] = seat
    return this.#notedUsesCount === notedUsesMax
  }

  /** All that were noted, in order: the first `count` of these seats. */
  takeUses(take: (seats: Int32Array, count: number) => void): void {
    const count = this.#notedUsesCount
    this.#notedUsesCount = 0
    if (this.#notedUses !== undefined && count > 0) take(this.#notedUses, count)
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
      seat: noSeat,
    }
    this.#entities.set(entityId, entity)
    this.#latest = entity
    this.#latestAbsent = undefined
    return entity
  }

  /** Whoever has kept it sees that it takes no messages any more. */
  delete(entity: Entity<Cell, Parcel>): void {
    entity.isStopping = true
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
