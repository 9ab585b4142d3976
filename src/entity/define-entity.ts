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
import { type Duration, toMs } from '../foundation/duration.ts'
import {
  type Check,
  InvalidSettings,
  maybe,
  mustBe,
  mustBeFunction,
  mustHave,
  problemsWithOptions,
  problemsWithText,
} from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { type NotYet, refuseNotYet } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'
import { problemWithId } from '../foundation/text.ts'
import { unknownSettings } from '../foundation/unknown-names.ts'
import type { EventAdapter } from '../persistence/index.ts'
import { problemWithTags } from '../persistence/internals.ts'
import type { ShardAllocationStrategy } from '../sharding/index.ts'
import { notYetInSharding } from '../sharding/internals.ts'
import { notCommands } from './entity-handle.ts'
import type {
  AnyEventHandlers,
  CheckedCommands,
  CheckedEvents,
  CommandHandlers,
  EntityHandle,
  EventOf,
  EventTags,
  NoEvents,
  SelfOf,
  Upcasters,
} from './entity-types.ts'
import { placesOfOthers } from './misplaced-options.ts'

/** What is agreed on by all nodes that know an entity type, hosts and callers. */
export interface EntityOptions {
  /** Only nodes with this role host entities of the type; the others route to them. */
  readonly role?: string | undefined
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
  /** Whether its state is made of stored events. */
  readonly isDurable: boolean
  readonly allocationStrategy?: ShardAllocationStrategy
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

/** An entity: with `events` its state is made of what is stored, without them it lives in memory only. */
export function defineEntity<
  State,
  // What the state is, `state` alone says: a handler that forgets a part of it must not make it a smaller one.
  Events extends AnyEventHandlers<NoInfer<State>> = NoEvents,
  Commands = unknown,
>(
  name: string,
  // In intersections, because so the commands see the events that were inferred before them, and each handler is told
  // what is wrong with it.
  spec: DurableEntitySpec<
    State,
    Events,
    Commands & CommandHandlers<SelfOf<State, Events>> & CheckedCommands<NoInfer<Commands>>
  > & { readonly events?: CheckedEvents<NoInfer<State>, NoInfer<Events>> },
): EntityDefinition<State, Events, Commands>
export function defineEntity(
  name: string,
  spec: PlainEntitySpec<unknown, object> & {
    readonly events?: object
    readonly tags?: object | undefined
    readonly upcast?: object | undefined
    readonly unknownEvents?: 'refuse' | 'read-only' | undefined
    readonly eventAdapter?: object | undefined
  },
): AnyEntity {
  const what = `The entity ${show(name)}`
  const given: unknown = spec
  if (!isRecord(given)) throw new InvalidSettings(what, problemsWithout(name))
  refuseNotYet(spec, notYetInEntities)
  const problems = [
    ...problemsWithName(name),
    ...problemsWithOptions(spec, checks, placesOfOthers),
    ...problemsOfEvents(given),
  ]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
  const { state, events, commands, role, numberOfShards, passivateAfter } = spec
  const { allocationStrategy, tags, upcast, unknownEvents, eventAdapter } = spec
  return {
    name,
    state,
    events: events ?? {},
    commands,
    isDurable: events !== undefined,
    ...(allocationStrategy !== undefined && { allocationStrategy }),
    ...(tags !== undefined && { tags: tags as AnyTags }),
    ...(upcast !== undefined && { upcast: upcast as AnyUpcasters }),
    ...(unknownEvents !== undefined && { unknownEvents }),
    ...(eventAdapter !== undefined && { eventAdapter: eventAdapter as EventAdapter<never> }),
    ...(role !== undefined && { role }),
    ...(numberOfShards !== undefined && { numberOfShards }),
    ...(passivateAfter !== undefined && { passivateAfter }),
  }
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
  const what = `The entity type ${show(name)}`
  const given: unknown = options
  if (!isRecord(given)) {
    throw new InvalidSettings(what, [`its options must be an object, not ${show(options)}`])
  }
  refuseNotYet(options, notYetInEntities)
  const problems = [
    ...problemsWithName(name),
    ...problemsWithOptions(options, agreedChecks, placesOfTypes),
  ]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
  const { role, numberOfShards } = options
  return {
    name,
    ...(role !== undefined && { role }),
    ...(numberOfShards !== undefined && { numberOfShards }),
  }
}

export function isDefinition(entity: EntityType<unknown>): entity is AnyEntity {
  return 'commands' in entity && 'state' in entity
}

/** Of what an entity passes on to sharding. */
export const notYetInEntities: NotYet = {
  ...notYetInSharding,
}

const agreedChecks = {
  role: problemsWithText,
  numberOfShards: maybe(
    mustBe(
      'a whole number of at least 1',
      (given) => Number.isSafeInteger(given) && (given as number) > 0,
    ),
  ),
  passivateAfter: maybe(problemsWithIdleTime),
} satisfies Record<keyof EntityOptions, Check>

const checks = {
  state: problemsWithState,
  events: maybe(problemsWithEvents),
  commands: problemsWithFunctions,
  ...agreedChecks,
  tags: maybe(problemsWithTags),
  upcast: maybe(problemsWithUpcasters),
  unknownEvents: maybe(
    mustBe("'refuse' or 'read-only'", (given) => given === 'refuse' || given === 'read-only'),
  ),
  eventAdapter: mustHave(['toJournal', 'fromJournal']),
  allocationStrategy: mustHave(['allocateShard', 'rebalance']),
} satisfies Record<keyof DurableEntitySpec<never, never, never>, Check>

/** Every option of `defineEntity`, for whoever is given one of them by mistake. */
export const optionsOfEntities: readonly string[] = Object.keys(checks)

const placesOfTypes: ReadonlyMap<string, string> = new Map([
  ...placesOfOthers,
  ...optionsOfEntities.map((name) => [name, 'belongs to defineEntity, not to entityType'] as const),
])

/** Stands in paths and in persistence ids. */
const nameForm = /^[A-Za-z][\w.-]*$/
const nameBytesMax = 128

/** Names that mean something to every object: a handle could not be awaited, compared or printed. */
const takenNames: ReadonlySet<string> = new Set([
  ...notCommands,
  'constructor',
  '__proto__',
  'prototype',
  'toString',
])

/** Of a definition with nothing in it; by mistake, the name may be missing as well. */
function problemsWithout(name: unknown): string[] {
  return [
    ...problemsWithName(name),
    'it needs an object that describes it: defineEntity(name, { state: () => ({ count: 0 }), commands: { … } })',
  ]
}

function problemsWithName(name: unknown): string[] {
  const problem = problemWithId(name, nameBytesMax)
  if (problem !== undefined) return [`its name cannot be used: ${problem}`]
  return nameForm.test(name as string)
    ? []
    : ['its name must begin with a letter and have only letters, digits, ".", "_" and "-"']
}

function problemsWithState(name: string, given: unknown): string[] {
  if (isAsync(given)) return [`${name} must not be async: it is the state before the first call`]
  return mustBe('a function that makes the state', isFunction)(name, given)
}

function problemsWithFunctions(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object of functions, not ${show(given)}`]
  return Object.entries(given).flatMap(([each, value]) => [
    ...mustBeFunction(`${name}.${each}`, value),
    ...(takenNames.has(each)
      ? [
          `${name}.${each} needs another name: JavaScript itself looks for ${show(each)} in objects, as when they are awaited, compared or printed`,
        ]
      : []),
  ])
}

function problemsWithEvents(name: string, given: unknown): string[] {
  const asyncs = Object.entries(isRecord(given) ? given : {}).filter(([, value]) => isAsync(value))
  return [
    ...problemsWithFunctions(name, given),
    ...asyncs.map(
      ([each]) => `${name}.${each} must not be async: do in a command what has to be awaited`,
    ),
  ]
}

function problemsWithUpcasters(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object of functions, not ${show(given)}`]
  return Object.entries(given).flatMap(([event, value]) => [
    ...mustBeFunction(`${name}.${event}`, value),
    ...(isAsync(value) ? [`${name}.${event} must not be async: recovery waits for nobody`] : []),
  ])
}

function problemsWithTags(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object, not ${show(given)}`]
  return Object.entries(given).flatMap(([event, tags]) => {
    if (typeof tags === 'function' && !isAsync(tags)) return []
    const problem = Array.isArray(tags) ? problemWithTags(tags) : undefined
    if (problem !== undefined) return [`${name}.${event} cannot be used: ${problem}`]
    return mustBe('a list of texts, or a function that makes one', Array.isArray)(
      `${name}.${event}`,
      tags,
    )
  })
}

/** What is said of events there must be events for. */
function problemsOfEvents({
  events,
  tags,
  upcast,
  unknownEvents,
  eventAdapter,
}: Readonly<Record<string, unknown>>): string[] {
  if (isRecord(events)) {
    return isRecord(tags) ? unknownSettings(tags, events, 'an event', 'tags.') : []
  }
  const orphans = Object.entries({ tags, upcast, unknownEvents, eventAdapter }).filter(
    ([, value]) => value !== undefined,
  )
  return events === undefined
    ? orphans.map(([name]) => `${name} is about events, and there are none: define \`events\``)
    : []
}

function problemsWithIdleTime(name: string, given: unknown): string[] {
  if (given === 'never') return []
  try {
    return toMs(given as Duration, name) > 0 ? [] : [`${name} must be longer than 0`]
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

function isFunction(given: unknown): boolean {
  return typeof given === 'function'
}

/** As far as it shows: what is compiled to something older gives itself away when it runs. */
function isAsync(given: unknown): boolean {
  return Object.prototype.toString.call(given) === '[object AsyncFunction]'
}
