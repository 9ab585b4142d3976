/**
 * Reading what entities have stored, decoded: the events of one, the ids of a type, the events of several types. Async
 * iterables that read as fast as they are asked; all of them end with the node.
 */
import type { Timers } from '../foundation/timers.ts'
import type { EntityType } from '../entity/index.ts'
import { isDefinition } from '../entity/internals.ts'
import { type Journal, JournalClosed, persistenceIdOf } from '../persistence/index.ts'
import { readIds, readSlices, readStream } from '../persistence/internals.ts'
import type { AnyEntityEvent, EntityEvent, ReadableEntity } from './entity-events.ts'
import { EntityEvents } from './entity-events.ts'

/** How long to go on, and how. */
export interface ReadEventsOptions {
  /** Goes on with what is stored later; false when not given. */
  readonly live?: boolean | undefined
  /** Ends the iteration: it rejects with the reason. */
  readonly signal?: AbortSignal | undefined
  /** How long a live reader that has come to the end waits before it looks again; 500 when not given. */
  readonly pollIntervalMs?: number | undefined
}

export interface EventsOfIdOptions extends ReadEventsOptions {
  /** The number of the first event wanted; 1 when not given. */
  readonly from?: number | undefined
  /** The number of the last; all when not given. */
  readonly to?: number | undefined
}

export interface EventsOfOptions<Entity extends ReadableEntity> extends ReadEventsOptions {
  /** Of which entities. */
  readonly types: readonly Entity[]
  /** Only events with this tag. */
  readonly tag?: string | undefined
  /** `place` of an event that was read before, with the same tag: goes on behind it. */
  readonly after?: string | undefined
}

/** An event of one entity: `sequenceNr` tells where to go on. */
export type EventOfId<Entity> = WithoutPlace<EntityEvent<Entity>>

type WithoutPlace<Event> = Event extends unknown ? Omit<Event, 'place'> : never

export class StoredReading {
  readonly #journal: Journal
  readonly #timers: Timers
  readonly #appVersion: string | undefined
  /** What is being read. */
  readonly #open = new Set<AbortController>()
  #isEnded = false

  constructor(journal: Journal, timers: Timers, appVersion: string | undefined) {
    this.#journal = journal
    this.#timers = timers
    this.#appVersion = appVersion
  }

  /** Whoever reads gets `JournalClosed`. */
  end(): void {
    this.#isEnded = true
    for (const each of this.#open) each.abort(new JournalClosed())
  }

  eventsOfId<Entity extends ReadableEntity>(
    type: Entity,
    id: string,
    { from, to, ...options }: EventsOfIdOptions = {},
  ): AsyncIterable<EventOfId<Entity>> {
    const events = new EntityEvents([type], this.#appVersion)
    const persistenceId = persistenceIdOf(type.name, id)
    const range = { persistenceId, fromSequenceNr: from, toSequenceNr: to }
    return this.#until(options.signal, async function* (world, signal) {
      for await (const event of readStream(world, { ...options, ...range, signal })) {
        const { sequenceNr, tags } = event
        for (const { name, args } of events.decode(event)) {
          const read = { entityType: type.name, id, sequenceNr, name, args, tags }
          yield read as unknown as EventOfId<Entity>
        }
      }
    })
  }

  /** Those that were claimed and never written to, and those whose events were deleted, are among them. */
  idsOf(type: EntityType<unknown>, signal?: AbortSignal): AsyncIterable<string> {
    const prefix = `${type.name}|`
    const kind = isDefinition(type) && type.keepsState ? 'states' : 'events'
    return this.#until(signal, async function* (world, ours) {
      for await (const id of readIds(world, { kind, prefix, signal: ours })) {
        yield id.slice(prefix.length)
      }
    })
  }

  eventsOf<Entity extends ReadableEntity>({
    types,
    ...options
  }: EventsOfOptions<Entity>): AsyncIterable<EntityEvent<Entity>> {
    const events = new EntityEvents(types, this.#appVersion)
    const wants = ({ persistenceId }: { readonly persistenceId: string }) =>
      events.originOf(persistenceId) !== undefined
    return this.#until(options.signal, async function* (world, signal) {
      let before = (): string => options.after ?? '[null]'
      for await (const event of readSlices(world, { ...options, wants, signal })) {
        const behind = (): string => event.place
        const read: readonly AnyEntityEvent[] = events.handOut(event, { before, behind })
        for (const each of read) yield each as unknown as EntityEvent<Entity>
        before = behind
      }
    })
  }

  /** Reads until it is done, until its reader does not want any more, or until the node stops. */
  async *#until<Item>(
    wanted: AbortSignal | undefined,
    read: (
      world: { readonly journal: Journal; readonly timers: Timers },
      signal: AbortSignal,
    ) => AsyncGenerator<Item, void, undefined>,
  ): AsyncGenerator<Item, void, undefined> {
    if (this.#isEnded) throw new JournalClosed()
    const ours = new AbortController()
    const abort = (): void => ours.abort(wanted?.reason)
    if (wanted?.aborted === true) abort()
    wanted?.addEventListener('abort', abort, { once: true })
    this.#open.add(ours)
    try {
      yield* read({ journal: this.#journal, timers: this.#timers }, ours.signal)
    } finally {
      this.#open.delete(ours)
      wanted?.removeEventListener('abort', abort)
    }
  }
}
