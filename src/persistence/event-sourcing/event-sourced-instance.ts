/**
 * One life of an event-sourced actor, from its claim of the stream to its end.
 *
 *   recovering ──▶ running ──stop effect──▶ stopping ──▶ ended
 *       └─────────────┴──failure, stop or restart of the actor──▶ ended
 *
 * Commands that come while it is not running wait in a stash, and so do those that find too many writes in flight.
 * Invariant: the state is that of all events handled so far; an event that the handler refuses is never written.
 */
import { type ActorContext, type Behavior, Behaviors, Dropped } from '../../actor/index.ts'
import { show } from '../../foundation/show.ts'
import { startOf, utf8Length } from '../../foundation/text.ts'
import type { Claim } from '../journal.ts'
import { writerBytesMax } from '../journals/fence.ts'
import { ActorTurn } from './actor-turn.ts'
import { CommandStash, type CommandStashes } from './command-stash.ts'
import { Effect } from './effect.ts'
import { InvalidEffect, RecoveryFailure } from './event-sourced-errors.ts'
import type { EventSourcedContext, EventSourcedPlan } from './event-sourced-options.ts'
import { signalHandlersOf } from './event-sourced-signals.ts'
import { Recovery } from './recovery.ts'
import { type Mutable, WritePipeline } from './write-pipeline.ts'

type Handled = void | typeof Behaviors.unhandled

export class EventSourcedInstance<Command, Event, State> {
  readonly #plan: EventSourcedPlan<Command, Event, State>
  readonly #context: ActorContext<Command>
  readonly #view: Mutable<EventSourcedContext<Command>>
  readonly #turn: ActorTurn<Command>
  readonly #stash: CommandStash<Command>
  readonly #recovery: Recovery<Event>
  /** Since the recovery has ended. */
  #writes: WritePipeline<Command, Event, State> | undefined = undefined
  #phase: 'recovering' | 'running' | 'stopping' | 'ended' = 'recovering'
  #state: State
  #sequenceNr = 0

  constructor(
    plan: EventSourcedPlan<Command, Event, State>,
    context: ActorContext<Command>,
    stashes: CommandStashes<Command>,
  ) {
    const { persistenceId } = plan
    this.#plan = plan
    this.#context = context
    this.#state = plan.emptyState
    this.#view = { actor: context, persistenceId, lastSequenceNr: 0, isRecovering: true }
    this.#turn = new ActorTurn(context)
    this.#stash = new CommandStash(stashes, context.self, context.system.runtime)
    this.#recovery = this.#newRecovery()
  }

  start(): Behavior<Command> {
    this.#recovery.start()
    const handlers = signalHandlersOf(this.#plan.signals, this.#view, {
      state: () => this.#state,
      drain: () => this.#end(),
    })
    return Behaviors.receiveMessage<Command>(this.#receive).receiveSignal(handlers)
  }

  /** A new instance begins although this one could not end. */
  giveUp(): void {
    this.#phase = 'ended'
    this.#recovery.cancel()
    this.#writes?.giveUp()
  }

  #end(): Promise<void> | undefined {
    this.#phase = 'ended'
    this.#recovery.cancel()
    const drained = this.#writes?.drain()
    // Answers that wait for a turn: there will be none.
    this.#turn.runWaiting()
    return drained
  }

  // ---- recovery

  #newRecovery(): Recovery<Event> {
    const { persistenceId, journal, recoveryPermits: permits, settings, codec } = this.#plan
    return new Recovery<Event>({
      persistenceId,
      journal,
      permits,
      settings,
      writer: this.#plan.writer ?? writerNamed(this.#context.self.toString()),
      timers: this.#context.system.environment.timers,
      turn: this.#turn,
      decode: (bytes) => codec.decode(bytes) as Event,
      apply: (event, sequenceNr) => this.#replayed(event, sequenceNr),
      completed: (claim) => this.#recovered(claim),
      failed: (error) => this.#recoveryFailed(error),
    })
  }

  #replayed(event: Event, sequenceNr: number): void {
    this.#view.lastSequenceNr = sequenceNr
    this.#state = this.#plan.eventHandler(this.#state, event, this.#view)
    this.#sequenceNr = sequenceNr
  }

  #recovered(claim: Claim): void {
    const stored = (): void => this.#goOn()
    const [plan, turn, view] = [this.#plan, this.#turn, this.#view]
    const failed = (error: unknown): never => this.#commandFailed(error)
    this.#writes = new WritePipeline({ plan, claim, turn, view, stored, failed })
    this.#phase = 'running'
    view.isRecovering = false
    this.#goOn()
    plan.signals?.RecoveryCompleted?.(this.#state, { type: 'RecoveryCompleted' }, view)
  }

  #recoveryFailed(cause: unknown): never {
    this.#phase = 'ended'
    const error = new RecoveryFailure(this.#plan.persistenceId, cause)
    try {
      const signal = { type: 'RecoveryFailed', error } as const
      this.#plan.signals?.RecoveryFailed?.(this.#state, signal, this.#view)
    } catch (failure) {
      this.#context.log.error({ err: failure }, 'the handler of RecoveryFailed failed')
    }
    throw error
  }

  // ---- commands

  readonly #receive = (command: Command): Handled | Promise<Handled> => {
    const origin = this.#stash.takeOrigin()
    if (this.#room() === undefined) return this.#stash.wait(command)
    if (origin === 'mail' && (this.#stash.hasWaiting || this.#room() === 0)) {
      this.#stash.wait(command)
      return this.#goOn()
    }
    try {
      const effect = this.#plan.commandHandler(this.#state, command, this.#view)
      if (effect instanceof Promise) return this.#acceptLater(command, effect)
      return this.#accept(command, effect)
    } catch (error) {
      return this.#commandFailed(error)
    }
  }

  async #acceptLater(command: Command, effect: Promise<Effect<Event, State>>): Promise<Handled> {
    try {
      return this.#accept(command, await effect)
    } catch (error) {
      return this.#commandFailed(error)
    }
  }

  #accept(command: Command, effect: Effect<Event, State>): Handled {
    if (!(effect instanceof Effect)) {
      throw new InvalidEffect(`A command handler gave ${show(effect)}. Give an Effect.`)
    }
    const { events, verdict, sideEffects, stops, unstashes } = effect
    if (this.#phase !== 'running' || this.#writes === undefined) return this.#lost(command)
    if (verdict === 'stash') return this.#stash.keep(command)
    const bytes = this.#advance(events)
    if (stops) this.#phase = 'stopping'
    if (unstashes) this.#stash.releaseKept()
    const state = this.#state
    const sequenceNr = this.#sequenceNr
    this.#writes.add(bytes, { command, state, sequenceNr, sideEffects, stops })
    return verdict === 'unhandled' ? Behaviors.unhandled : undefined
  }

  /** Applies the events before they are written: all of them, or none. */
  #advance(events: readonly Event[]): readonly Uint8Array[] {
    const { codec, eventHandler, settings } = this.#plan
    if (events.length > settings.appendEventsMax) {
      throw new InvalidEffect(
        `${events.length} events of one command are more than appendEventsMax, ${settings.appendEventsMax}.`,
      )
    }
    const view = this.#view
    const encoded: Uint8Array[] = []
    let state = this.#state
    for (const event of events) {
      view.lastSequenceNr++
      state = eventHandler(state, event, view)
      encoded.push(codec.encode(event, 'event'))
    }
    this.#state = state
    this.#sequenceNr = view.lastSequenceNr
    return encoded
  }

  /** An async handler has outlived its instance. */
  #lost(command: Command): void {
    const { self, system } = this.#context
    system.runtime.lost(new Dropped(command, self, 'not-stored'))
  }

  #commandFailed(error: unknown): never {
    this.#view.lastSequenceNr = this.#sequenceNr
    this.#stash.interrupted()
    // Should a supervisor resume this actor, the commands behind this one go on.
    this.#turn.run(() => this.#goOn())
    throw error
  }

  /** How many commands may be handled before something is stored; undefined while none may. */
  #room(): number | undefined {
    const writes = this.#writes
    if (this.#phase !== 'running' || writes?.isOpen !== true) return undefined
    return Math.max(this.#plan.settings.unstoredCommandsMax - writes.heldCount, 0)
  }

  /** Lets waiting commands come, as far as there is room. */
  #goOn(): void {
    const room = this.#room()
    if (room !== undefined) this.#stash.releaseWaiting(room)
  }
}

/** Cut to what a journal takes: it is for people. */
function writerNamed(path: string): string {
  const isShort = utf8Length(path) <= writerBytesMax
  return isShort ? path : startOf(path, Math.floor(writerBytesMax / 3))
}
