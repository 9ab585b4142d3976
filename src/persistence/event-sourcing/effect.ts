/**
 * What a command comes to: events to store, and what happens once they are stored. A plain value; nothing of it happens
 * while it is made. Whatever is sent through it leaves the entity only after its events, and all events before them, are
 * stored. What a command handler sends by itself (`ref.tell`, `fetch`) leaves at once: nothing can call it back.
 */
import type { ActorRef } from '../../actor/index.ts'
import type { NewEvent } from '../journal.ts'
import type { PersistenceFailure } from './event-sourced-errors.ts'

/** Happens after the events were stored; never when they are replayed. */
export type SideEffect<State> =
  | { readonly type: 'Run'; readonly run: (state: State) => void }
  | {
      readonly type: 'Tell'
      readonly to: ActorRef<never>
      /** The message, or what makes it of the state. */
      readonly message: unknown
      /** What is told instead when the events are not stored. */
      readonly orElse: ((error: PersistenceFailure) => unknown) | undefined
    }

interface Done<State> {
  readonly events: readonly NewEvent[]
  readonly state: State
  /** All events before these are deleted with them. */
  readonly deletes: boolean
}

/** What becomes of the command itself. */
export type Handling = 'handled' | 'unhandled' | 'stash'

const nothing: readonly never[] = []

/** Made by its functions; the fields are for the runtime. */
export class Effect<Event, State> {
  readonly events: readonly Event[]
  /** @internal */
  readonly handling: Handling
  /** @internal */
  readonly sideEffects: readonly SideEffect<State>[]
  /** @internal */
  readonly stops: boolean
  /** @internal */
  readonly unstashes: boolean
  /** @internal Instead of events: what has been applied and encoded already. */
  readonly done: Done<State> | undefined

  private constructor(
    events: readonly Event[],
    handling: Handling,
    sideEffects: readonly SideEffect<State>[] = nothing,
    stops = false,
    unstashes = false,
    done?: Done<State>,
  ) {
    this.done = done
    this.events = events
    this.handling = handling
    this.sideEffects = sideEffects
    this.stops = stops
    this.unstashes = unstashes
  }

  // ---- what to do with the command

  /** Stores the event, or all of these or none. An event that is an array itself goes into an array. */
  static persist<Event, State>(events: Event | readonly Event[]): Effect<Event, State> {
    const list = Array.isArray(events) ? (events as readonly Event[]) : [events as Event]
    return new Effect<Event, State>(list, 'handled')
  }

  /**
   * For other parts of Sherd: stores these events, which the caller has applied, giving this state, and encoded. They are stored as
   * they are: neither the event adapter nor the tagger is asked. With `deletes`, all events before them are deleted, which
   * the journal must be able to.
   */
  static applied<Event, State>(
    events: readonly NewEvent[],
    state: State,
    deletes = false,
  ): Effect<Event, State> {
    const done = { events, state, deletes }
    return new Effect<Event, State>(nothing, 'handled', nothing, false, false, done)
  }

  /** @internal The same, and this happens then. */
  static appliedThen<Event, State>(
    done: Done<State>,
    then: SideEffect<State>,
  ): Effect<Event, State> {
    return new Effect<Event, State>(nothing, 'handled', [then], false, false, done)
  }

  /** Stores nothing. What is chained still waits for the events before: reads see only what is stored. */
  static none<Event, State>(): Effect<Event, State> {
    return new Effect<Event, State>(nothing, 'handled')
  }

  /** Publishes the command as `UnhandledMessage`. */
  static unhandled<Event, State>(): Effect<Event, State> {
    return new Effect<Event, State>(nothing, 'unhandled')
  }

  /** Stops the entity once all events before are stored. */
  static stop<Event, State>(): Effect<Event, State> {
    return new Effect<Event, State>(nothing, 'handled', nothing, true)
  }

  /** Keeps the command for later. */
  static stash<Event, State>(): Effect<Event, State> {
    return new Effect<Event, State>(nothing, 'stash')
  }

  /** Handles every command stashed so far before any other, beginning with the oldest. */
  static unstashAll<Event, State>(): Effect<Event, State> {
    return new Effect<Event, State>(nothing, 'handled', nothing, false, true)
  }

  /** Stores nothing and answers: see `thenReply`. */
  static reply<Event, State, Reply>(
    replyTo: ActorRef<Reply>,
    reply: NoInfer<Reply> | ((state: State) => NoInfer<Reply>),
    orElse?: (error: PersistenceFailure) => NoInfer<Reply>,
  ): Effect<Event, State> {
    return Effect.none<Event, State>().thenReply(replyTo, reply, orElse)
  }

  /** Stores nothing and does not answer, on purpose. */
  static noReply<Event, State>(): Effect<Event, State> {
    return Effect.none()
  }

  /** @internal The same with what it stores applied and encoded: of a state that is kept without events. */
  asApplied(done: Done<State>): Effect<Event, State> {
    const { handling, sideEffects, stops, unstashes } = this
    return new Effect<Event, State>(nothing, handling, sideEffects, stops, unstashes, done)
  }

  /** @internal Nothing is stored by it, and nothing of the entity changes. */
  get isRead(): boolean {
    if (this.handling !== 'handled' || this.stops || this.unstashes) return false
    const { events, done } = this
    return done === undefined ? events.length === 0 : done.events.length === 0 && !done.deletes
  }

  // ---- what happens then, in this order

  /**
   * Calls this with the state after the events. Valid in it: the actor's context. Nobody waits for what it may return; a
   * promise that rejects fails the actor.
   */
  thenRun(run: (state: State) => void): Effect<Event, State> {
    return this.#then({ type: 'Run', run })
  }

  /** Tells this, or what is made of the state after the events. `orElse`: as for `thenReply`. */
  thenTell<Message>(
    to: ActorRef<Message>,
    message: NoInfer<Message> | ((state: State) => NoInfer<Message>),
    orElse?: (error: PersistenceFailure) => NoInfer<Message>,
  ): Effect<Event, State> {
    return this.#then({ type: 'Tell', to, message, orElse })
  }

  /**
   * Answers, with a value or with what is made of the state. When the events are not stored, `orElse` says what is
   * answered instead; without it an ask of this node is rejected with the error, and one of another node times out.
   */
  thenReply<Reply>(
    replyTo: ActorRef<Reply>,
    reply: NoInfer<Reply> | ((state: State) => NoInfer<Reply>),
    orElse?: (error: PersistenceFailure) => NoInfer<Reply>,
  ): Effect<Event, State> {
    return this.thenTell(replyTo, reply, orElse)
  }

  /** Stops the entity, after everything else that is chained. No command is handled after this one. */
  thenStop(): Effect<Event, State> {
    return this.#with(this.sideEffects, true, this.unstashes)
  }

  /**
   * As `unstashAll`. Does not wait for the store, since nothing leaves the entity by it: stashed commands are handled
   * right after this one.
   */
  thenUnstashAll(): Effect<Event, State> {
    return this.#with(this.sideEffects, this.stops, true)
  }

  #then(sideEffect: SideEffect<State>): Effect<Event, State> {
    const { sideEffects } = this
    const all = sideEffects.length === 0 ? [sideEffect] : [...sideEffects, sideEffect]
    return this.#with(all, this.stops, this.unstashes)
  }

  #with(
    sideEffects: readonly SideEffect<State>[],
    stops: boolean,
    unstashes: boolean,
  ): Effect<Event, State> {
    return new Effect(this.events, this.handling, sideEffects, stops, unstashes, this.done)
  }
}

/** The makers of effects for one type of entity. */
export interface Effects<Event, State> {
  persist(events: Event | readonly Event[]): Effect<Event, State>
  none(): Effect<Event, State>
  unhandled(): Effect<Event, State>
  stop(): Effect<Event, State>
  stash(): Effect<Event, State>
  unstashAll(): Effect<Event, State>
  reply<Reply>(
    replyTo: ActorRef<Reply>,
    reply: NoInfer<Reply> | ((state: State) => NoInfer<Reply>),
    orElse?: (error: PersistenceFailure) => NoInfer<Reply>,
  ): Effect<Event, State>
  noReply(): Effect<Event, State>
}

/** `Effect` with its types filled in, so that chained functions know the state: `const effect = effectsFor<Event, State>()` */
export function effectsFor<Event, State>(): Effects<Event, State> {
  return Effect
}
