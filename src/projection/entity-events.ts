/**
 * Events as readers get them: of which entity, by name, with what they say in the types of its definition. Upcasters and
 * adapters are applied as in recovery, so a reader never sees an earlier version of an event.
 */
import type { EntityDefinition, EventOf } from '../entity/index.ts'
import { type AnyEntity, eventsOf } from '../entity/internals.ts'
import {
  entityIdOf,
  entityTypeOf,
  type EventAdapter,
  type StoredEvent,
} from '../persistence/index.ts'
import { adapted } from '../persistence/internals.ts'
import { codecOfStore } from '../serialization/internals.ts'
import { UnreadableEvent } from './projection-errors.ts'

/** Any entity type with its implementation. */
export type ReadableEntity = EntityDefinition<unknown, object, unknown>

/** One event of whatever entity. */
export interface AnyEntityEvent {
  readonly entityType: string
  readonly id: string
  /** The number of the stored event. An upcaster that makes several of one gives all of them its number. */
  readonly sequenceNr: number
  readonly name: string
  readonly args: readonly unknown[]
  readonly tags: readonly string[]
  /** Go on with `after: place` for what comes behind this event. */
  readonly place: string
}

/** The events of an entity definition, or of several: `name` tells what `args` are. */
export type EntityEvent<Entity> =
  Entity extends EntityDefinition<infer _State, infer Events, infer _Commands>
    ? NamedEvent<EventOf<Events>>
    : never

type NamedEvent<Event> = Event extends readonly [infer Name, ...infer Args]
  ? Omit<AnyEntityEvent, 'name' | 'args'> & { readonly name: Name; readonly args: Readonly<Args> }
  : never

/** What an event has become in this version: nothing, itself, or several. */
export type DecodedEvents = readonly Pick<AnyEntityEvent, 'name' | 'args'>[]

/** The entity and the id of a stream. */
export interface StreamOrigin {
  readonly entity: AnyEntity
  readonly id: string
}

export class EntityEvents {
  readonly #entities: ReadonlyMap<string, AnyEntity>
  readonly #codec = codecOfStore()
  readonly #appVersion: string | undefined

  constructor(entities: readonly ReadableEntity[], appVersion?: string) {
    this.#entities = new Map(entities.map((entity) => [entity.name, entity as AnyEntity]))
    this.#appVersion = appVersion
  }

  /** Undefined for a stream of something else: of a type that is not read, or of the runtime. */
  originOf(persistenceId: string): StreamOrigin | undefined {
    const entity = this.#entities.get(entityTypeOf(persistenceId))
    return entity && { entity, id: entityIdOf(persistenceId) }
  }

  /** Whether its definition deletes events that snapshots cover. */
  areDeleted(persistenceId: string): boolean {
    const entity = this.#entities.get(entityTypeOf(persistenceId))
    return entity !== undefined && deletesEvents(entity)
  }

  /** Whether any of the definitions does. */
  get canBeDeleted(): boolean {
    return [...this.#entities.values()].some(deletesEvents)
  }

  /** Throws `UnreadableEvent`, with the place behind the event if there is one, so that a reader can go on there. */
  decode({ persistenceId, sequenceNr, bytes }: StoredEvent, place?: () => string): DecodedEvents {
    const { entity, id } = this.originOf(persistenceId) as StreamOrigin
    try {
      const stored = this.#codec.decode(Buffer.from(bytes))
      const adapter = entity.eventAdapter as EventAdapter<unknown> | undefined
      const forms = adapter === undefined ? [stored] : adapted(adapter, stored, sequenceNr)
      const at = { id, sequenceNr, appVersion: this.#appVersion }
      return forms
        .flatMap((form) => eventsOf(entity, form, at))
        .map(([name, ...args]) => ({ name, args }))
    } catch (error) {
      throw new UnreadableEvent(
        { entityType: entity.name, id, sequenceNr, place: place?.() },
        error,
      )
    }
  }

  /** As they are handed out. All but the last of one stored event stand before it: whoever goes on there gets all again. */
  handOut(event: StoredEvent, places: EventPlaces): AnyEntityEvent[] {
    const { persistenceId, sequenceNr, tags } = event
    const { entity, id } = this.originOf(persistenceId) as StreamOrigin
    const decoded = this.decode(event, places.behind)
    return decoded.map(({ name, args }, index) => {
      const placeOf = index === decoded.length - 1 ? places.behind : places.before
      return {
        ...{ entityType: entity.name, id, sequenceNr, name, args, tags },
        get place() {
          return placeOf()
        },
      }
    })
  }
}

function deletesEvents({ snapshots }: AnyEntity): boolean {
  return snapshots !== undefined && snapshots !== false && snapshots.deleteEvents === true
}

/** Made when somebody looks: most readers do not. */
export interface EventPlaces {
  readonly before: () => string
  readonly behind: () => string
}
