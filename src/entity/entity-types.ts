/**
 * What can be said of an entity in types: its events, its commands, what a command sees of it, and what a caller does.
 * Everything is inferred from the definition; a caller needs no more than its type.
 */
import type { Duration } from '../foundation/duration.ts'
import type { Logger } from '../foundation/logger.ts'
import type { EntityType } from './define-entity.ts'
import type { TravellingValue, TravellingResult } from './travelling-types.ts'

type IsAny<Value> = 0 extends 1 & Value ? true : false

type AnyFunction = (...args: never[]) => unknown

/** The members of an object that are methods; `never` for data. */
type Methods<Value> = {
  [Key in keyof Value]-?: [IsAny<Value[Key]>, Value[Key]] extends [false, AnyFunction] ? Key : never
}[keyof Value]

/** Whether there is nothing to an object but its members: no methods, and nothing private, as classes have. */
type IsData<Value> = [Methods<Value>] extends [never]
  ? { [Key in keyof Value]: Value[Key] } extends Value
    ? true
    : false
  : false

/**
 * A value that nobody changes, all the way down: no `push`, no `set`, no assignment. What has methods of its own, such as a
 * Date, a typed array or an instance of a class, stays what it is.
 */
export type DeepReadonly<Value> =
  IsAny<Value> extends true
    ? Value
    : Value extends AnyFunction
      ? Value
      : Value extends readonly (infer Item)[]
        ? // Of lists the compiler looks no further than it must, and so comes to an end with a type that holds itself.
          Item[] extends Value
          ? readonly DeepReadonly<Item>[]
          : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
        : Value extends ReadonlyMap<infer Key, infer Item>
          ? ReadonlyMap<DeepReadonly<Key>, DeepReadonly<Item>>
          : Value extends ReadonlySet<infer Item>
            ? ReadonlySet<DeepReadonly<Item>>
            : Value extends object
              ? IsData<Value> extends true
                ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
                : Value
              : Value

/** Makes the next state of the one before and what happened. Pure: runs when it happens, and at every recovery. */
export type EventHandlers<State> = Readonly<
  Record<string, (state: DeepReadonly<State>, ...args: never[]) => DeepReadonly<State>>
>

/** The same for whatever they give, so that one that gives something else does not spoil all the others. */
export type AnyEventHandlers<State> = Readonly<
  Record<string, (state: DeepReadonly<State>, ...args: never[]) => DeepReadonly<State> | Whatever>
>

/** Not `unknown`, which would swallow the state beside it: that tells the compiler to keep literals as they are. */
type Whatever = {} | null | undefined | void

/** What each event handler must be. What is wrong with one is said at that one. */
export type CheckedEvents<State, Events> = {
  readonly [Name in keyof Events]: Events[Name] extends (
    state: never,
    ...args: infer Args extends readonly unknown[]
  ) => unknown
    ? (state: DeepReadonly<State>, ...args: TravellingValue<Args>) => DeepReadonly<State>
    : (state: DeepReadonly<State>, ...args: never[]) => DeepReadonly<State>
}

/** What each command must be. What is wrong with one is said at that one. */
export type CheckedCommands<Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends (
    self: infer Self,
    ...args: infer Args extends readonly unknown[]
  ) => infer Result
    ? (self: Self, ...args: TravellingValue<Args>) => TravellingResult<Result>
    : unknown
}

/** What a command sees: without events its state is its own to change, or, where it is stored, to replace. */
export type SelfOf<State, Events, Durable = false> = [Durable] extends [true]
  ? DurableStateSelf<State>
  : [keyof Events] extends [never]
    ? PlainSelf<State>
    : DurableSelf<State, Events>

/** An entity without events: its state lives in memory, and ends with it. */
export type NoEvents = { readonly [Name in never]: never }

/** What an event says beside its name. */
type EventArgs<Handler> = Handler extends (
  state: never,
  ...args: infer Args extends readonly unknown[]
) => unknown
  ? Args
  : never

/** An event as a value, and as it lies in the store: its name, then what it says. */
export type EventOf<Events> = {
  readonly [Name in keyof Events & string]: readonly [name: Name, ...says: EventArgs<Events[Name]>]
}[keyof Events & string]

/** Nothing that anybody would give. Only because it is there, the compiler takes what is given for a list with a name. */
type NamelessEvent = readonly [name: '\u0000', ...says: unknown[]]

/** Upcasters are looked at before the events are known, and then again: the first time everything is right. */
type Upcasted<Events> = [keyof Events] extends [never]
  ? readonly unknown[]
  : EventOf<Events> | readonly EventOf<Events>[]

/** By the name of an event that was stored: what it is now. One event, a list of several, or an empty list: then it is left out. */
export type Upcasters<Events> = Readonly<
  Record<string, (...args: never[]) => Upcasted<Events> | NamelessEvent | readonly NamelessEvent[]>
>

/** For some events, the tags they are stored with: a list, or what makes one of the state after the event and what it says. */
export type EventTags<State, Events> = {
  readonly [Name in keyof Events]?:
    | readonly string[]
    | ((state: DeepReadonly<State>, ...args: EventArgs<Events[Name]>) => readonly string[])
}

/** What every command sees of its entity. Valid until the command has settled. */
interface AnySelf {
  readonly id: string
  /** Fires when the entity has to stop before an async command has settled. */
  readonly signal: AbortSignal
  /** Says on every line who speaks: `entityType`, `entityId` and `node`. A line stays, also when the command fails. */
  readonly log: Logger
  /** The time of day on the clock of this node, in milliseconds since 1970. Virtual in simulation. */
  now(): number
  /**
   * Another entity, as `node.entity` gives it. It is called at once, before anything that this command persists is stored,
   * and nothing takes it back when this command fails. Throws `EntityNotOnNode` for a type that this node neither hosts nor
   * has as a proxy, and `CallToItself` for this very entity, which would wait for itself.
   */
  entity<Commands>(
    type: EntityType<Commands>,
    id: string,
    options?: CallOptions,
  ): EntityHandle<Commands>
  /**
   * Lets this entity leave the memory when the command was answered, as one that was idle for long: what it was asked before that is
   * done first, what comes later brings it back, and nothing is lost. One that is remembered is forgotten until its next call. A
   * command that fails asks for nothing.
   */
  passivate(): void
}

/** An entity whose state is made of stored events. */
export interface DurableSelf<State, Events> extends AnySelf {
  /** With everything this command has persisted so far. A value: never changed, only replaced by events. */
  readonly state: DeepReadonly<State>
  /**
   * Lets this happen; answers the state after it. Everything one command persists is stored together or not at all, and
   * the caller hears of nothing before it is stored.
   */
  persist<Name extends keyof Events & string>(
    name: Name,
    ...args: EventArgs<Events[Name]>
  ): DeepReadonly<State>
  /**
   * Ends all that is stored of this entity: its events are deleted, for good, when the command's answer is given. From here on
   * the state is the one at the start, and what is persisted after it, in this command or later, begins a new life of the
   * entity; what this command has persisted before it is deleted with the rest. A command that fails deletes nothing.
   */
  delete(): void
}

/** An entity whose state is stored, without events (`durable: true`). */
export interface DurableStateSelf<State> extends AnySelf {
  /**
   * A value: never changed, only replaced, as in `self.state = { ...self.state, count: 1 }`. What it is when the command ends well
   * is stored, and the caller hears of nothing before that. A command that fails leaves it as it was.
   */
  state: DeepReadonly<State>
  /** Ends what is stored of this entity: from here on the state is the one at the start. A command that fails deletes nothing. */
  delete(): void
}

/** An entity that keeps its state in memory only: it is gone when the entity stops, moves or is passivated. */
export interface PlainSelf<State> extends AnySelf {
  state: State
}

/** Decides and answers. While an async one has not settled, the entity handles no other. */
export type CommandHandlers<Self> = Readonly<
  Record<string, (self: Self, ...args: never[]) => unknown>
>

/**
 * Commands as the callers of an entity see them: the same arguments, and a promise of the same result. Of a definition:
 * `HandleOf<typeof Counter>`.
 */
export type EntityHandle<Commands> = {
  readonly [Name in keyof Commands]: Commands[Name] extends (
    self: never,
    ...args: infer Args extends readonly unknown[]
  ) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

export interface CallOptions {
  /** How long to wait for the answer; the actor setting `askTimeoutMs` (5 s) when not given. */
  readonly timeout?: Duration | undefined
  /** Gives up on the answer when it fires. The command may happen nevertheless. */
  readonly signal?: AbortSignal | undefined
}
