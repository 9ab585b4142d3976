/**
 * What a command of a durable entity sees as `self`: the state with everything it has persisted or set so far. Events are
 * applied and turned into bytes where they are persisted, once, so that whatever is wrong with them is thrown there. They
 * are applied as they will be read: handlers get copies of what is stored, so the state is the same after the next start.
 */
import type { ActorRef } from '../actor/index.ts'
import { isObject } from '../foundation/is-object.ts'
import type { Logger } from '../foundation/logger.ts'
import {
  bytesOfEvent,
  deletesEvents,
  Effect,
  EventTooLarge,
  type NewEvent,
  type PersistenceFailure,
  StateTooLarge,
} from '../persistence/index.ts'
import {
  checkBySchema,
  encoded,
  encodedState,
  type Encoding,
  type FamilyContext,
  snapshotFormOf,
  type StateForm,
} from '../persistence/internals.ts'
import type { WitnessedCommand } from './command-witness.ts'
import type { AnyEntity, EntityType } from './define-entity.ts'
import {
  CommandOver,
  EventHandlerChangedState,
  EventHandlerGaveNoState,
  StateNotSet,
  StoreCannotDelete,
  TooManyEvents,
  UnknownEvent,
} from './entity-errors.ts'
import type { EntityCall, EntityReply } from './entity-messages.ts'
import { logOf, otherEntity, type SelfSite } from './entity-self.ts'
import type { CallOptions, EntityHandle } from './entity-types.ts'
import type { EntityWorld } from './entity-world.ts'
import { isFrozenComplaint } from './frozen-state.ts'
import { EntityReadOnly, type UnknownStoredEvent } from './stored-event-errors.ts'
import { eventsOf, type StoredForm, type StoredPlace } from './stored-events.ts'

type Handler = (state: unknown, ...args: readonly unknown[]) => unknown

const noEvents: readonly never[] = []

/** What is the same for all commands of a type. */
export interface TransactionKind {
  readonly entity: AnyEntity
  readonly world: EntityWorld
  readonly encoding: Encoding<StoredForm, unknown>
  /** Where the state itself is stored, and may be set. */
  readonly stateForm: StateForm<unknown> | undefined
  readonly eventsMax: number
}

/** A command, and the entity as it finds it. */
interface CommandToRun {
  readonly command: string
  readonly state: unknown
  readonly unknown: UnknownStoredEvent | undefined
  readonly witnessed: WitnessedCommand | undefined
}

export class Transaction {
  /** Where somebody follows what the command does. */
  readonly witnessed: WitnessedCommand | undefined
  readonly #kind: TransactionKind
  readonly #of: FamilyContext<EntityCall>
  readonly #command: string
  /** Why nothing may happen to it. */
  readonly #unknown: UnknownStoredEvent | undefined
  #isStateSet = false
  #events: NewEvent[] | undefined = undefined
  #deletes = false
  #rests = false
  #isOver = false
  #state: unknown
  #log: Logger | undefined = undefined

  constructor(
    kind: TransactionKind,
    of: FamilyContext<EntityCall>,
    { command, state, unknown, witnessed }: CommandToRun,
  ) {
    this.witnessed = witnessed
    this.#kind = kind
    this.#of = of
    this.#unknown = unknown
    this.#command = command
    this.#state = kind.world.states.freeze(state)
  }

  get id(): string {
    return this.#of.id
  }

  get #entity(): AnyEntity {
    return this.#kind.entity
  }

  get #world(): EntityWorld {
    return this.#kind.world
  }

  get state(): unknown {
    return this.#state
  }

  /** Only where the state itself is stored: what no event says would be gone with the instance. */
  set state(next: unknown) {
    const { name: entity } = this.#entity
    if (this.#kind.stateForm === undefined) {
      throw new TypeError('Cannot set property state of #<Transaction>: it is made of events')
    }
    if (this.#isOver) throw new CommandOver(entity, this.#command, 'state')
    if (next === undefined || next instanceof Promise) {
      if (next instanceof Promise) next.catch(() => undefined)
      throw new StateNotSet(entity, this.#command, next)
    }
    this.#state = this.#world.states.freeze(next)
    this.#isStateSet = true
  }

  get signal(): AbortSignal {
    return this.#of.actor.signal
  }

  get log(): Logger {
    return (this.#log ??= logOf(this.#site))
  }

  now(): number {
    return this.#of.actor.system.environment.clock.wallMs()
  }

  entity<Commands>(
    type: EntityType<Commands>,
    id: string,
    options?: CallOptions,
  ): EntityHandle<Commands> {
    return otherEntity(this.#site, type, id, options)
  }

  passivate(): void {
    if (this.#isOver) throw new CommandOver(this.#entity.name, this.#command, 'passivate')
    this.#rests = true
  }

  /** Whether the entity shall rest when the command was answered. */
  get rests(): boolean {
    return this.#rests
  }

  get #site(): SelfSite {
    return { entity: this.#entity, id: this.id, world: this.#world, context: this.#of.actor }
  }

  persist(name: string, ...args: readonly unknown[]): unknown {
    const { name: entity } = this.#entity
    if (this.#isOver) throw new CommandOver(entity, this.#command, 'persist')
    if (this.#unknown !== undefined) {
      throw new EntityReadOnly(this.#command, 'persist', this.#unknown)
    }
    const handler = handlerOf(this.#entity, name)
    const events = (this.#events ??= [])
    if (events.length >= this.#kind.eventsMax) {
      throw new TooManyEvents(entity, this.#command, this.#kind.eventsMax)
    }
    const stored = this.#asStored(name, args)
    const { schema } = this.#entity
    if (schema !== undefined) checkBySchema(schema.events?.[name], stored, `The event ${name}`)
    const state = this.#world.states.freeze(this.#apply(name, handler, stored))
    events.push(this.#encode(name, stored, state))
    this.#state = state
    this.witnessed?.persists(name, stored)
    return state
  }

  delete(): void {
    const { name: entity } = this.#entity
    if (this.#isOver) throw new CommandOver(entity, this.#command, 'delete')
    if (this.#unknown !== undefined)
      throw new EntityReadOnly(this.#command, 'delete', this.#unknown)
    if (this.#kind.stateForm === undefined && !deletesEvents(this.#world.journal)) {
      throw new StoreCannotDelete(entity, this.#command)
    }
    const { states } = this.#world
    this.#state = states.freeze(this.#entity.state())
    this.#events = undefined
    this.#isStateSet = false
    this.#deletes = true
  }

  /** The command has settled well: all its events, to be stored together. Throws when a state that was set cannot be stored. */
  commit(
    replyTo: ActorRef<EntityReply>,
    reply: EntityReply | (() => EntityReply),
    orElse: (error: PersistenceFailure) => EntityReply,
  ): Effect<StoredForm, unknown> {
    this.#isOver = true
    if (this.#isStateSet && this.#kind.stateForm !== undefined) {
      this.#events = [this.#encodeState(this.#kind.stateForm)]
    }
    if (this.#deletes) this.witnessed?.deletes?.()
    this.witnessed?.ends(this.#isStateSet ? 0 : (this.#events?.length ?? 0))
    const answers = { type: 'Tell', to: replyTo, message: reply, orElse } as const
    const done = {
      events: this.#events ?? noEvents,
      state: this.#state,
      deletes: this.#deletes,
    }
    return Effect.appliedThen(done, answers)
  }

  /** The command has failed: nothing of it has happened. */
  abandon(): void {
    this.#isOver = true
    this.witnessed?.ends(0)
  }

  #apply(name: string, handler: Handler, args: readonly unknown[]): unknown {
    try {
      return nextState(this.#entity, name, this.#state, handler(this.#state, ...args))
    } catch (error) {
      if (!isFrozenComplaint(error)) throw error
      throw new EventHandlerChangedState(this.#entity.name, name, error)
    }
  }

  /** What the store will give back, which nobody else holds. Primitive values are that already. */
  #asStored(name: string, args: readonly unknown[]): readonly unknown[] {
    // Functions and symbols are refused with their place.
    const isPlain = (arg: unknown) =>
      !isObject(arg) && typeof arg !== 'function' && typeof arg !== 'symbol'
    if (args.every(isPlain)) return args
    return this.#world.codec.copy(args, `the event ${name}: args`) as readonly unknown[]
  }

  /** What is too large fails here, with its command alone: in the store it would end the entity. */
  #encodeState(form: StateForm<unknown>): Uint8Array {
    const { stateBytesMax, codec } = this.#world
    const bytes = encodedState(snapshotFormOf(form), codec, this.#state)
    if (bytes.byteLength <= stateBytesMax) return bytes
    throw new StateTooLarge(this.#of.persistenceId, bytes.byteLength, stateBytesMax)
  }

  #encode(name: string, args: readonly unknown[], state: unknown): NewEvent {
    const { eventBytesMax, codec } = this.#world
    let event: NewEvent
    try {
      event = encoded(this.#kind.encoding, this.#of.persistenceId, state, [name, ...args])
    } catch (error) {
      // Says where in the arguments, if that is what is wrong.
      codec.prepare(args, `the event ${name}: args`)
      throw error
    }
    const { byteLength } = bytesOfEvent(event)
    if (byteLength <= eventBytesMax) return event
    throw new EventTooLarge(this.#of.persistenceId, byteLength, eventBytesMax)
  }
}

/** Makes the next state of what lies in the journal. */
export function replay(
  entity: AnyEntity,
  state: unknown,
  stored: unknown,
  place: StoredPlace,
): unknown {
  let next = state
  for (const [name, ...args] of eventsOf(entity, stored, place)) {
    next = nextState(entity, name, next, handlerOf(entity, name)(next, ...args))
  }
  return next
}

/** Refuses what a handler without `return`, or an async one, gives: it would be the state from now on. */
function nextState(entity: AnyEntity, name: unknown, state: unknown, next: unknown): unknown {
  const isNothing = next === undefined && state !== undefined
  if (!isNothing && !(next instanceof Promise)) return next
  // It is refused already; should it fail as well, later, nobody would hear of it, and that ends the process.
  if (next instanceof Promise) next.catch(() => undefined)
  throw new EventHandlerGaveNoState(entity.name, String(name), next)
}

function handlerOf({ name: entity, events, keepsState }: AnyEntity, name: unknown): Handler {
  const handlers = events as Readonly<Record<string, Handler>>
  const handler =
    typeof name === 'string' && Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (handler === undefined) {
    throw new UnknownEvent(entity, name, Object.keys(handlers), keepsState)
  }
  return handler
}
