/**
 * The front door: an entity as plain functions. State, events and commands are inferred; nothing is generated.
 *
 *   const Counter = defineEntity('Counter', {
 *     state: () => ({ count: 0 }),
 *     events: { Incremented: (state, by: number) => ({ count: state.count + by }) },
 *     commands: {
 *       increment: (self, by: number) => self.persist('Incremented', by).count,
 *       get: (self) => self.state.count,
 *     },
 *   })
 */
import type { Duration } from '../foundation/duration.ts'
import type { EventAdapter, StandardSchema } from '../persistence/index.ts'
import type { Passivation, ShardAllocationStrategy, ShardLeaseOptions } from '../sharding/index.ts'
import { checkEntity, checkEntityType } from './check-entity.ts'
import type {
  AnyEventHandlers,
  CheckedCommands,
  CheckedEvents,
  CommandHandlers,
  DeepReadonly,
  EntityHandle,
  EventOf,
  EventTags,
  NoEvents,
  SelfOf,
  Upcasters,
} from './entity-types.ts'
import { type StoringOptions, storingOptionsOf } from './storing-options.ts'

/** What is agreed on by all nodes that know an entity type, hosts and callers. */
export interface EntityOptions {
  /** Only nodes with this role host entities of the type; the others route to them. */
  readonly role?: string | undefined
  /**
   * Its coordinator, which decides where entities live, runs on nodes with this role, such as stable ones, in place of those that
   * host. They need the definition as well (`entities`), and host nothing unless they have `role`, too.
   */
  readonly coordinatorRole?: string | undefined
  /** Must be the same on every node, for the life of the stored entities; the sharding setting (128) when not given. */
  readonly numberOfShards?: number | undefined
  /** Idle time after which an entity leaves the memory; its next call brings it back. 2 minutes when not given. */
  readonly passivateAfter?: Duration | 'never' | undefined
}

export interface PlainEntitySpec<State, Commands> extends EntityOptions {
  /** The state at the start. Called once for every entity that starts. */
  readonly state: () => State
  /** What it can be asked to do. */
  readonly commands: Commands
  /** Where its shards go; to the node with the fewest when not given. The same on every node that hosts the type. */
  readonly allocationStrategy?: ShardAllocationStrategy | undefined
  /**
   * When entities leave the memory, besides `passivateAfter`: `{ activeEntityLimit: 10_000 }` keeps no more than so many of this type
   * on a node, and without `passivateAfter` no idle time counts then. `'off'`: never.
   */
  readonly passivation?: Passivation | undefined
  /**
   * Entities that were started are started again wherever their shard lives next, without a call: after a move, a crash, and
   * when all nodes were stopped. One that is passivated is forgotten, and none is for being idle, unless `passivateAfter` is
   * given as well. The same on every node.
   */
  readonly rememberEntities?: boolean | undefined
  /** Every shard lives only while its node holds a lease, in the node's store or as given. The same on every node. */
  readonly lease?: boolean | ShardLeaseOptions | undefined
}

export interface DurableEntitySpec<State, Events, Commands> extends PlainEntitySpec<
  State,
  Commands
> {
  /** What can happen to it, by name. Without events nothing is stored, and `self.state` may be changed in place. */
  readonly events?: Events | undefined
  /** Names under which events can be found later, stored with them: at most 16, each of 1 to 255 bytes. */
  readonly tags?: EventTags<NoInfer<State>, NoInfer<Events>> | undefined
  /**
   * For events of earlier versions: by its name, makes what the event is now of what it said. May give one event, a list, or
   * an empty list to leave it out; what it gives must be events of this version. Asked at every recovery, also for what this
   * version stores under that name.
   */
  readonly upcast?: Upcasters<NoInfer<Events>> | undefined
  /**
   * What becomes of an entity with an event that this version does not know, as after a roll back. `'refuse'`, the default: it
   * does not start, and every call says why. `'read-only'`: its state is the one before that event, commands that
   * persist or delete fail with `ENTITY_READ_ONLY`, and the others answer from a state that may be old.
   */
  readonly unknownEvents?: 'refuse' | 'read-only' | undefined
  /** Between the events and what is stored of them, for those whose form has changed. Without one, they are stored as they are. */
  readonly eventAdapter?: EventAdapter<EventOf<Events>> | undefined
  /** How often the state is kept beside the events, so that a start reads little. Never when not given, or `false`. */
  readonly snapshots?: EntitySnapshots | false | undefined
  /**
   * Of the shape of the state, as it is kept in snapshots: to be raised whenever it changes, or an event handler makes something
   * else of the same events. Snapshots of another version are upcast, or passed over: then the events decide. When it is not
   * given, snapshots are passed over when the state at the start has other fields than when they were made.
   */
  readonly snapshotVersion?: number | undefined
  /** Makes a state of this version of one that was kept by a lower one. Those of a higher one are passed over. */
  upcastSnapshot?(state: unknown, version: number): DeepReadonly<NoInfer<State>>
  /** By any library that follows Standard Schema. What they refuse fails the command, and nothing is stored. */
  readonly schema?: EntitySchemas<NoInfer<Events>> | undefined
  /**
   * The state itself is stored, without events: `self.state = …` in a command puts the next one in its place. For what has no
   * history worth keeping. Not together with `events`.
   */
  readonly durable?: boolean | undefined
  /** Of the shape of a durable state; 0 when not given. A stored state of another version needs `upcastState`. */
  readonly stateVersion?: number | undefined
  /** Makes a state of this version of one that was stored by a lower one. With one of a higher version the entity does not start. */
  upcastState?(state: unknown, version: number): DeepReadonly<NoInfer<State>>
}

export interface EntitySnapshots {
  /** Events from one snapshot to the next; 100 when not given. A start reads about as many. */
  readonly every?: number | undefined
  /** Snapshots that are kept, should the newest not be readable; 2 when not given. */
  readonly keep?: number | undefined
  /**
   * Deletes events that are older than the snapshots; they stay when it is not given. Then the store does not grow, and nothing
   * but the snapshots knows what was: `snapshotVersion` must be given.
   */
  readonly deleteEvents?: boolean | undefined
}

export interface EntitySchemas<Events> {
  /** By the name of an event: of the list of what it says, as in `Deposited: z.tuple([z.number()])`. */
  readonly events?: { readonly [Name in keyof Events]?: StandardSchema } | undefined
  /** Of a state that is stored, by itself or as a snapshot, and of one that is read: a refused snapshot is passed over. */
  readonly state?: StandardSchema | undefined
}

/** The name of an entity type and, in its type, what can be called: all that a caller needs. */
export interface EntityType<Commands> extends EntityOptions {
  readonly name: string
  /** Never there: it carries the type. */
  readonly commandTypes?: Commands
}

/** An entity type with its implementation: what a node needs to host it. */
export interface EntityDefinition<State, Events, Commands> extends EntityType<Commands> {
  readonly state: () => State
  readonly events: Events
  readonly commands: Commands
  /** Whether its state survives it: made of stored events, or stored itself. */
  readonly isDurable: boolean
  /** Whether its state is stored itself, and there are no events. */
  readonly keepsState: boolean
  readonly snapshots?: EntitySnapshots | false
  readonly snapshotVersion?: number
  upcastSnapshot?(state: unknown, version: number): unknown
  readonly schema?: EntitySchemas<Record<string, unknown>>
  readonly stateVersion?: number
  upcastState?(state: unknown, version: number): unknown
  readonly allocationStrategy?: ShardAllocationStrategy
  readonly passivation?: Passivation
  readonly rememberEntities?: boolean
  readonly lease?: boolean | ShardLeaseOptions
  readonly tags?: AnyTags
  readonly upcast?: AnyUpcasters
  readonly unknownEvents?: 'refuse' | 'read-only'
  readonly eventAdapter?: EventAdapter<never>
}

type AnyUpcasters = Readonly<Record<string, (...args: never[]) => unknown>>

type AnyTags = Readonly<
  Record<string, readonly string[] | ((state: never, ...args: never[]) => readonly string[])>
>

/** Any definition, for those who run it and do not look into its types. */
export type AnyEntity = EntityDefinition<unknown, object, object>

/** The commands of a definition, or of a type. */
export type CommandsOf<Entity> = Entity extends EntityType<infer Commands> ? Commands : never

/** What `node.entity` gives for a definition, or for a type: `HandleOf<typeof Counter>`. */
export type HandleOf<Entity extends EntityType<unknown>> = EntityHandle<CommandsOf<Entity>>

/** An entity: with `events` its state is made of what is stored, with `durable` it is stored itself, else it lives in memory only. */
export function defineEntity<
  State,
  // What the state is, `state` alone says: a handler that forgets a part of it must not make it a smaller one.
  Events extends AnyEventHandlers<NoInfer<State>> = NoEvents,
  Commands = unknown,
  Durable extends boolean = false,
>(
  name: string,
  // In intersections, because so the commands see the events that were inferred before them, and each handler is told
  // what is wrong with it.
  spec: DurableEntitySpec<
    State,
    Events,
    Commands & CommandHandlers<SelfOf<State, Events, Durable>> & CheckedCommands<NoInfer<Commands>>
  > & {
    readonly events?: CheckedEvents<NoInfer<State>, NoInfer<Events>>
    readonly durable?: Durable
  },
): EntityDefinition<State, Events, Commands>
export function defineEntity(name: string, spec: AnySpec): AnyEntity {
  checkEntity(name, spec)
  const { state, events, commands, role, numberOfShards, passivateAfter } = spec
  const { allocationStrategy, tags, upcast, unknownEvents, eventAdapter, durable = false } = spec
  const { passivation, rememberEntities, lease, coordinatorRole } = spec
  return {
    name,
    state,
    events: events ?? {},
    commands,
    isDurable: events !== undefined || durable,
    keepsState: durable,
    ...storingOptionsOf(spec),
    ...(allocationStrategy !== undefined && { allocationStrategy }),
    ...(passivation !== undefined && { passivation }),
    ...(rememberEntities !== undefined && { rememberEntities }),
    ...(lease !== undefined && { lease }),
    ...(tags !== undefined && { tags: tags as AnyTags }),
    ...(upcast !== undefined && { upcast: upcast as AnyUpcasters }),
    ...(unknownEvents !== undefined && { unknownEvents }),
    ...(eventAdapter !== undefined && { eventAdapter: eventAdapter as EventAdapter<never> }),
    ...(role !== undefined && { role }),
    ...(coordinatorRole !== undefined && { coordinatorRole }),
    ...(numberOfShards !== undefined && { numberOfShards }),
    ...(passivateAfter !== undefined && { passivateAfter }),
  }
}

interface AnySpec extends PlainEntitySpec<unknown, object>, StoringOptions {
  readonly events?: object
  readonly tags?: object | undefined
  readonly upcast?: object | undefined
  readonly unknownEvents?: 'refuse' | 'read-only' | undefined
  readonly eventAdapter?: object | undefined
  readonly durable?: boolean | undefined
}

/**
 * An entity type for a process that only calls, made of its name and its type: the implementation is not loaded.
 *
 *   import type { Counter } from './counter.ts'
 *   const counters = entityType<typeof Counter>('Counter')
 *   const node = await startNode({ proxies: [counters], seeds })
 */
export function entityType<Entity extends EntityType<unknown>>(
  name: string,
  options: EntityOptions = {},
): EntityType<CommandsOf<Entity>> {
  checkEntityType(name, options)
  const { role, coordinatorRole, numberOfShards } = options
  return {
    name,
    ...(role !== undefined && { role }),
    ...(coordinatorRole !== undefined && { coordinatorRole }),
    ...(numberOfShards !== undefined && { numberOfShards }),
  }
}

export function isDefinition(entity: EntityType<unknown>): entity is AnyEntity {
  return 'commands' in entity && 'state' in entity
}
