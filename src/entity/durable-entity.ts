/**
 * An entity with events, or with a state that is stored itself, as an event-sourced actor. A command runs on the newest state;
 * its answer is held until what it has made, and all it has seen, is stored. One that throws leaves nothing behind.
 */
import { type Behavior, Behaviors } from '../actor/index.ts'
import { CountedRepeats } from '../foundation/counted-repeats.ts'
import { show } from '../foundation/show.ts'
import {
  defaultEventSourcedSettings,
  Effect,
  type EventAdapter,
  type EventSourcedContext,
  type EventSourcedFamilyOptions,
  type PersistenceFailure,
} from '../persistence/index.ts'
import {
  EventSourcedFamily,
  type FamilyContext,
  persistenceIdPrefix,
  storedState,
} from '../persistence/internals.ts'
import {
  answer,
  commandOf,
  notDone,
  refusal,
  refusesCall,
  runCommand,
  unknownCommand,
} from './command-reply.ts'
import { leaving, type WitnessedCommand } from './command-witness.ts'
import type { AnyEntity } from './define-entity.ts'
import type { EntityCall, EntityReply } from './entity-messages.ts'
import { isCall, isEntityCall } from './entity-wire.ts'
import type { WorkOfType } from './entity-work.ts'
import type { EntityWorld } from './entity-world.ts'
import { isOverdue } from './overdue-calls.ts'
import { UnknownStoredEvent } from './stored-event-errors.ts'
import type { StoredForm } from './stored-events.ts'
import { journalOf, snapshotsOf, stateFormOf } from './stored-state.ts'
import { replay, Transaction, type TransactionKind } from './transaction.ts'

type Outcome = Effect<StoredForm, unknown>

/** All durable entities of one type on one node. */
export class DurableEntities {
  readonly #kind: TransactionKind
  readonly #family: EventSourcedFamily<EntityCall, StoredForm, unknown>
  readonly #work: WorkOfType
  /** By the refs of their actors: the entities that only answer reads, and the event that is not known here. */
  readonly #unknown = new WeakMap<object, UnknownStoredEvent>()
  /** So that many of them are not as many lines in the log. */
  #unknownNews: CountedRepeats<string> | undefined
  readonly #notDone = (error: PersistenceFailure): EntityReply =>
    notDone(error, this.#kind.world.adviceOnWriter)

  constructor(entity: AnyEntity, world: EntityWorld) {
    const { codec, recoveryPermits, writer, settings } = world
    const journal = journalOf(entity, world.journal)
    const eventAdapter = entity.eventAdapter as EventAdapter<StoredForm> | undefined
    const adapting = eventAdapter === undefined ? {} : { eventAdapter }
    this.#work = world.work.of(entity.name)
    this.#kind = {
      entity,
      world,
      encoding: { codec, ...adapting, ...(entity.tags && { tagger: taggerOf(entity.tags) }) },
      stateForm: entity.keepsState ? stateFormOf(entity) : undefined,
      eventsMax: settings.appendEventsMax ?? defaultEventSourcedSettings.appendEventsMax,
    }
    const recoveryEnds = (_: unknown, __: unknown, context: EventSourcedContext<EntityCall>) =>
      this.#work.recoveryEnds(idOf(context))
    const options: EventSourcedFamilyOptions<EntityCall, StoredForm, unknown> = {
      commandHandler: (state, call, context) => this.#handle(state, call, context),
      eventHandler: (state, event, context) => this.#replay(state, event, context),
      signals: {
        RecoveryCompleted: (_, __, context) => {
          this.#work.recoveryEnds(idOf(context))
          this.#tellUnknown(context)
        },
        RecoveryFailed: (_, { error }, context) => this.#work.recoveryFailed(idOf(context), error),
        PostStop: recoveryEnds,
      },
      refused: (call, error) => {
        if (!isCall(call) || world.answered.has(call)) return
        world.answered.add(call)
        call.replyTo.tell(this.#notDone(error))
      },
      ...adapting,
      ...snapshotsOf(entity, journal),
      // The state of one that does not know all its events is not that of all its events.
      maySnapshot: ({ actor }) => !this.#unknown.has(actor.self),
      journal,
      codec,
      recoveryPermits,
      writer,
      settings,
    }
    this.#family = new EventSourcedFamily(options, persistenceIdPrefix(entity.name))
  }

  behavior(id: string): Behavior<EntityCall> {
    const state = this.#kind.entity.state()
    const recovering = this.#family.behavior(id, state)
    return Behaviors.setup<EntityCall>(() => {
      // In its first turn, not before: one that is stopped without a turn never hears of its end.
      this.#work.recoveryBegins(id)
      return recovering
    })
  }

  /** With `read-only` the state stays as it is before the first event that is not known, whatever comes after that. */
  #replay(state: unknown, event: unknown, context: EventSourcedContext<EntityCall>): unknown {
    const { actor, lastSequenceNr: sequenceNr, persistenceId } = context
    if (this.#kind.stateForm !== undefined) {
      return storedState(this.#kind.stateForm, event, persistenceId, sequenceNr)
    }
    if (this.#unknown.has(actor.self)) return state
    const { appVersion } = this.#kind.world
    try {
      return replay(this.#kind.entity, state, event, { id: idOf(context), sequenceNr, appVersion })
    } catch (error) {
      const isServed = this.#kind.entity.unknownEvents === 'read-only'
      if (!isServed || !(error instanceof UnknownStoredEvent)) throw error
      this.#unknown.set(actor.self, error)
      return state
    }
  }

  #tellUnknown({ actor }: EventSourcedContext<EntityCall>): void {
    const unknown = this.#unknown.get(actor.self)
    if (unknown === undefined) return
    const { entityType, event, sequenceNr, id } = unknown
    const { log, settings, environment } = actor.system
    const news = (this.#unknownNews ??= new CountedRepeats(settings.logFailuresIntervalMs, 100))
    const { isFirst, due } = news.add(event, id, environment.clock.monotonicMs())
    const fields = { entityType, event }
    for (const { count, last } of due) {
      const text = `${count} more of ${entityType} only answer reads, because of an event that this version does not know.`
      log.warn({ ...fields, entityId: last, count }, text)
    }
    if (!isFirst) return
    const text = `${entityType} ${show(id)} only answers reads, with the state before its event ${sequenceNr}, ${show(event)}: this version does not know it.`
    log.warn({ ...fields, entityId: id, sequenceNr }, text)
  }

  #handle(
    state: unknown,
    call: EntityCall,
    context: EventSourcedContext<EntityCall>,
  ): Outcome | Promise<Outcome> {
    if (!isEntityCall(call)) return refusesCall(call) ? Effect.noReply() : Effect.unhandled()
    if (isOverdue(call, context.actor)) return Effect.noReply()
    const { command, replyTo } = call
    const handler = commandOf(this.#kind.entity, command)
    if (handler === undefined) {
      return Effect.reply(replyTo, unknownCommand(this.#kind.entity), this.#notDone)
    }
    const transaction = this.#begin(call, state, context as FamilyContext<EntityCall>)
    try {
      const result = runCommand(handler, transaction, call)
      if (result instanceof Promise) return this.#finishLater(call, transaction, result, context)
      return this.#finish(call, transaction, result, context)
    } catch (error) {
      return this.#refuse(call, transaction, error, context)
    }
  }

  #begin(call: EntityCall, state: unknown, context: FamilyContext<EntityCall>): Transaction {
    const { entity, world } = this.#kind
    return new Transaction(this.#kind, context, {
      command: call.command,
      state,
      // Nearly always there is none, and that costs nothing.
      unknown: this.#unknownNews === undefined ? undefined : this.#unknown.get(context.actor.self),
      witnessed: world.witness?.begins(entity.name, context.id, call),
    })
  }

  async #finishLater(
    call: EntityCall,
    transaction: Transaction,
    result: Promise<unknown>,
    context: EventSourcedContext<EntityCall>,
  ): Promise<Outcome> {
    this.#work.commandBegins(transaction.id, call)
    try {
      return this.#finish(call, transaction, await result, context)
    } catch (error) {
      return this.#refuse(call, transaction, error, context)
    } finally {
      this.#work.commandEnds(transaction.id, call)
    }
  }

  #finish(
    { command, replyTo }: EntityCall,
    transaction: Transaction,
    result: unknown,
    { actor }: EventSourcedContext<EntityCall>,
  ): Outcome {
    const reply = answer(result, command, this.#kind.world.travelling)
    const { witnessed } = transaction
    const told = leaving(reply, witnessed)
    const outcome = transaction.commit(replyTo, told, this.#orElse(witnessed))
    return transaction.rests ? outcome.thenRun(() => this.#kind.world.rest(actor)) : outcome
  }

  /** What is answered in place of a reply whose events were not stored. */
  #orElse(witnessed: WitnessedCommand | undefined): (error: PersistenceFailure) => EntityReply {
    if (witnessed === undefined) return this.#notDone
    return (error) => {
      const reply = this.#notDone(error)
      witnessed.answers(reply)
      return reply
    }
  }

  #refuse(
    { command, replyTo }: EntityCall,
    transaction: Transaction,
    error: unknown,
    { actor }: EventSourcedContext<EntityCall>,
  ): Outcome {
    transaction.abandon()
    const { id, witnessed } = transaction
    const failing = {
      ...{ entity: this.#kind.entity, id, command, world: this.#kind.world },
      log: actor.system.log,
    }
    const reply = leaving(refusal(error, failing), witnessed)
    return Effect.reply<StoredForm, unknown, EntityReply>(replyTo, reply, this.#orElse(witnessed))
  }
}

/** All of them are of one family. */
function idOf(context: EventSourcedContext<EntityCall>): string {
  return (context as FamilyContext<EntityCall>).id
}

/** Asks the tags of the event that has happened. */
function taggerOf(
  tags: NonNullable<AnyEntity['tags']>,
): (state: unknown, event: StoredForm) => readonly string[] {
  type Tagger = (state: unknown, ...args: readonly unknown[]) => readonly string[]
  return (state, [name, ...args]) => {
    const given = Object.hasOwn(tags, name) ? tags[name] : undefined
    return typeof given === 'function' ? (given as Tagger)(state, ...args) : (given ?? [])
  }
}
