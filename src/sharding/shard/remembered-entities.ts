/**
 * Which entities of a shard are remembered and do not run, and what is to be stored of that. Those that run are with the
 * shard: here is only what a shard that remembers needs besides.
 *
 *   absent ──start──▶ storing-start ──stored──▶ asleep ──▶ runs ──failed──▶ resting ──▶ runs
 *                                 loaded ────────▲ │          └──passivated──▶ storing-stop ──stored──▶ absent
 *                                                  └──belongs elsewhere──▶ moving ──started there──▲
 *
 * Invariant: one write is under way at most, and the next takes everything that gathered meanwhile; an id is in one place
 * of the picture at a time, and other ways than these are mistakes of ours.
 */
import { assert } from '../../foundation/assert.ts'
import type { RememberedChange } from '../remembering/remember-store.ts'
import type { EntityId } from '../shard-id.ts'
import { IdSet } from './id-set.ts'

/** Where an id stands that does not run. */
export type RememberedStanding =
  | 'absent'
  | 'asleep'
  | 'storing-start'
  | 'resting'
  | 'storing-stop'
  | 'moving'

export class RememberedEntities {
  /** Those that were loaded and have not run since; those that belong elsewhere stay here until they have moved. */
  readonly #asleep = new IdSet()
  readonly #standings = new Map<EntityId, Exclude<RememberedStanding, 'absent' | 'asleep'>>()
  #recovering: Iterator<EntityId, undefined> | undefined
  #starts: EntityId[] = []
  #stops: EntityId[] = []
  #writing: RememberedChange | undefined

  standingOf(entityId: EntityId): RememberedStanding {
    return this.#standings.get(entityId) ?? (this.#asleep.has(entityId) ? 'asleep' : 'absent')
  }

  /** Those that were loaded and do not run. */
  get asleep(): Pick<IdSet, 'size' | typeof Symbol.iterator> {
    return this.#asleep
  }

  get pendingStarts(): readonly EntityId[] {
    return [...(this.#writing?.started ?? []), ...this.#starts]
  }

  get pendingStops(): readonly EntityId[] {
    return [...(this.#writing?.stopped ?? []), ...this.#stops]
  }

  /** Whether something is being stored, or must be. */
  get isBusy(): boolean {
    return this.#writing !== undefined || this.#starts.length > 0 || this.#stops.length > 0
  }

  loaded({ started, stopped }: RememberedChange): void {
    for (const entityId of started) this.#asleep.add(entityId)
    for (const entityId of stopped) this.#asleep.delete(entityId)
  }

  /** The next ones that sleep; fewer than `count` when it was all of them, and then from the beginning again. */
  nextAsleep(count: number): EntityId[] {
    this.#recovering ??= this.#asleep[Symbol.iterator]()
    const ids: EntityId[] = []
    while (ids.length < count) {
      const next = this.#recovering.next()
      if (next.done === true) {
        this.#recovering = undefined
        break
      }
      if (this.#standings.get(next.value) !== 'moving') ids.push(next.value)
    }
    return ids
  }

  /** To be stored before it runs. */
  start(entityId: EntityId): void {
    this.#expect(entityId, ['absent'], 'storing-start')
    this.#standings.set(entityId, 'storing-start')
    this.#starts.push(entityId)
  }

  /** It runs from now on. */
  runs(entityId: EntityId): void {
    this.#expect(entityId, ['asleep', 'moving', 'resting'], 'runs')
    this.#asleep.delete(entityId)
    this.#standings.delete(entityId)
  }

  /** It ended though nobody asked it to. */
  failed(entityId: EntityId): void {
    this.#expect(entityId, ['absent'], 'resting')
    this.#standings.set(entityId, 'resting')
  }

  /** It ended after it was passivated. */
  passivated(entityId: EntityId): void {
    this.#expect(entityId, ['absent'], 'storing-stop')
    this.#standings.set(entityId, 'storing-stop')
    this.#stops.push(entityId)
  }

  /** Of these, those that sleep. */
  belongElsewhere(entityIds: readonly EntityId[]): void {
    for (const entityId of entityIds) {
      if (this.standingOf(entityId) === 'asleep') this.belongsElsewhere(entityId)
    }
  }

  /** Its shard is another one now: it is started there before it is forgotten here. */
  belongsElsewhere(entityId: EntityId): void {
    this.#expect(entityId, ['asleep'], 'moving')
    this.#standings.set(entityId, 'moving')
  }

  /** It was started in its other shard. False when it has not waited for that. */
  movedAway(entityId: EntityId): boolean {
    if (this.#standings.get(entityId) !== 'moving') return false
    this.#asleep.delete(entityId)
    this.#standings.set(entityId, 'storing-stop')
    this.#stops.push(entityId)
    return true
  }

  /** What to store now, at most so many; undefined when there is nothing, or something is being stored. */
  nextWrite(max: number): RememberedChange | undefined {
    if (this.#writing !== undefined) return undefined
    if (this.#starts.length === 0 && this.#stops.length === 0) return undefined
    const started = this.#starts.splice(0, max)
    this.#writing = { started, stopped: this.#stops.splice(0, max - started.length) }
    return this.#writing
  }

  /** What was being stored is. The started ones sleep until somebody lets them run. */
  stored(): RememberedChange {
    const stored = this.#writing
    assert(stored !== undefined, 'what is stored was given to be stored')
    this.#writing = undefined
    for (const entityId of stored.started) {
      this.#leave(entityId, 'storing-start')
      this.#asleep.add(entityId)
    }
    for (const entityId of stored.stopped) this.#leave(entityId, 'storing-stop')
    return stored
  }

  #leave(entityId: EntityId, standing: RememberedStanding): void {
    this.#expect(entityId, [standing], 'stored')
    this.#standings.delete(entityId)
  }

  #expect(entityId: EntityId, from: readonly RememberedStanding[], to: string): void {
    const standing = this.standingOf(entityId)
    if (!from.includes(standing)) assert(false, `${entityId} cannot go from ${standing} to ${to}`)
  }
}
