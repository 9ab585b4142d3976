/**
 * One event-sourced behavior under test, on a store in memory: what a command comes to, and whether all of it survives. After
 * every command the actor is stopped and read back, from its events and from a snapshot: both must give the state it had.
 *
 *   const kit = eventSourcingKit<Command, Event, State>({ emptyState, commandHandler, eventHandler })
 *   const { events, state, reply } = await kit.run((replyTo) => ({ type: 'Add', by: 2, replyTo }))
 */
import { type ActorRef, ActorSystem, PoisonPill } from '../../actor/index.ts'
import { type Duration, formatMs, toMs } from '../../foundation/duration.ts'
import { show } from '../../foundation/show.ts'
import {
  EventSourcedBehavior,
  type EventSourcedOptions,
  effectsFor,
  type Journal,
} from '../../persistence/index.ts'
import { codecOfStore } from '../../serialization/internals.ts'
import type { CapturedLogs } from '../captured-logs.ts'
import { isEqual } from '../is-equal.ts'
import { ManualTime } from '../manual-time.ts'
import { comesWithin, defaultPatienceMs } from '../patience.ts'
import { EventSourcingKitFailure } from './event-sourcing-kit-failure.ts'
import { FaultyStore } from './faulty-store.ts'

/** The options of `EventSourcedBehavior`; id and journal are the kit's where they are not given. */
export type EventSourcingKitOptions<Command, Event, State> = Omit<
  EventSourcedOptions<Command, Event, State>,
  'persistenceId' | 'journal'
> & {
  readonly persistenceId?: string | undefined
  /** To go on where another kit, or another version, has ended. */
  readonly journal?: Journal | undefined
  /** How long a command may take, in real time; 3 s when not given. */
  readonly within?: Duration | undefined
  /** With false a state need not be made of what can be stored, and no snapshots are tried. */
  readonly checkState?: boolean | undefined
}

/** What came of one command. */
export interface EventSourcingOutcome<Event, State, Reply> {
  /** What it persisted. */
  readonly events: readonly Event[]
  /** After it, read back from the store. */
  readonly state: State
  /** Undefined where none is waited for. */
  readonly reply: Reply
}

/** Asks for the state, past the handlers of the user. */
class Look {
  readonly replyTo: ActorRef<unknown>

  constructor(replyTo: ActorRef<unknown>) {
    this.replyTo = replyTo
  }
}

/** A behavior of which nothing is stored yet, unless a journal with something in it is given. */
export function eventSourcingKit<Command, Event, State>(
  options: EventSourcingKitOptions<Command, Event, State>,
): EventSourcingKit<Command, Event, State> {
  return new EventSourcingKit(options)
}

/** One event-sourced behavior under test, made by `eventSourcingKit`. */
export class EventSourcingKit<Command, Event, State> {
  readonly time = new ManualTime()
  /** Between the behavior and its journal: makes it fail and stall. */
  readonly store: FaultyStore<Journal>
  readonly #options: EventSourcingKitOptions<Command, Event, State>
  readonly #system = new ActorSystem('kit', { environment: this.time.environment })
  readonly #codec = codecOfStore()
  readonly #withinMs: number
  #actor: ActorRef<Command | Look> | undefined = undefined
  /** What handlers have made events of since the last command. */
  #applied: Event[] = []
  #storedBefore = 0
  #state: State

  /** @internal */
  constructor(options: EventSourcingKitOptions<Command, Event, State>) {
    const { journal, within = defaultPatienceMs, emptyState } = options
    this.#options = options
    this.#withinMs = toMs(within, 'within')
    this.#state = emptyState
    this.store = new FaultyStore<Journal>(journal)
  }

  /** As it was read back last. */
  get state(): State {
    return this.#state
  }

  /** What the behavior and the runtime logged. */
  get logs(): CapturedLogs {
    return this.time.logs
  }

  /** Sends the command, waits for its answer, and reads everything back. Rejects with what an ask rejects with. */
  async run<Reply>(
    command: (replyTo: ActorRef<Reply>) => Command,
  ): Promise<EventSourcingOutcome<Event, State, Reply>> {
    const actor = await this.#settled()
    const asked = actor.ask<Reply>(command, { timeout: '30d' })
    const reply = await this.#within(asked, 'The command has not been answered')
    this.#mustSurvive(reply, 'The reply')
    return { ...(await this.#outcome()), reply }
  }

  /** Sends a command that answers nothing, waits until it is stored, and reads everything back. */
  async tell(command: Command): Promise<EventSourcingOutcome<Event, State, undefined>> {
    const actor = await this.#settled()
    actor.tell(command)
    return { ...(await this.#outcome()), reply: undefined }
  }

  /** Stops the behavior and starts it again from what is stored. Rejects when it does not recover, or has another state. */
  async restart(): Promise<State> {
    await this.#readBack()
    return this.#state
  }

  /** Ends the actor and its system. */
  async end(): Promise<void> {
    this.store.flow()
    await this.time.settle()
    await this.#system.terminate()
  }

  async #settled(): Promise<ActorRef<Command | Look>> {
    await this.#look()
    this.#applied = []
    this.#storedBefore = await this.#storedCount()
    return this.#running()
  }

  async #outcome(): Promise<{ readonly events: readonly Event[]; readonly state: State }> {
    await this.#look()
    const applied = this.#applied
    for (const event of applied)
      if (!this.#options.eventAdapter) this.#mustSurvive(event, 'An event')
    const count = (await this.#storedCount()) - this.#storedBefore
    await this.#readBack()
    // A command that failed may have applied what was never stored.
    const events = count === 0 ? [] : applied.slice(-count)
    return { events, state: this.#state }
  }

  /** From all events, then from a snapshot where there may be one: every way must lead to the same state. */
  async #readBack(): Promise<void> {
    const before = await this.#look()
    if (this.#checksState) this.#mustSurvive(before, 'The state')
    for (const way of this.#checksState ? (['none', 'latest'] as const) : (['none'] as const)) {
      await this.#stop()
      this.#start(way)
      const after = await this.#look()
      if (isEqual(before, after)) continue
      const from = way === 'none' ? 'its events give' : 'a snapshot of it gives'
      throw new EventSourcingKitFailure(
        `After a restart ${from} another state than the one it had. Handlers must make the same of the same events, and nothing but them may change the state.`,
        { expected: before, actual: after },
      )
    }
    this.#state = before
  }

  #storedCount(): Promise<number> {
    return this.store.behind.highestSequenceNr(this.#persistenceId)
  }

  get #persistenceId(): string {
    return this.#options.persistenceId ?? 'Kit|1'
  }

  get #checksState(): boolean {
    return this.#options.checkState !== false
  }

  #running(): ActorRef<Command | Look> {
    return this.#actor ?? this.#start('latest')
  }

  #start(snapshot: 'latest' | 'none'): ActorRef<Command | Look> {
    const { checkState: _, within: __, commandHandler, eventHandler, ...rest } = this.#options
    const retention = { snapshotEvery: 1, keepSnapshots: 2 }
    const behavior = EventSourcedBehavior<Command | Look, Event, State>({
      ...(rest as unknown as EventSourcedOptions<Command | Look, Event, State>),
      persistenceId: this.#persistenceId,
      journal: this.store.journal,
      // Events stay, so that both ways can be gone.
      ...(this.#checksState ? { retention, recovery: { snapshot } } : { retention: undefined }),
      commandHandler: (state, command, context) => {
        if (!(command instanceof Look)) return commandHandler(state, command, context as never)
        return effectsFor<Event, State>().reply(command.replyTo, () => ({ state }))
      },
      eventHandler: (state, event, context) => {
        if (!context.isRecovering) this.#applied.push(event)
        return eventHandler(state, event, context as never)
      },
    })
    const actor = this.#system.spawn(behavior)
    this.#actor = actor
    void this.#system.whenStopped(actor).then(() => {
      if (this.#actor === actor) this.#actor = undefined
    })
    return actor
  }

  async #stop(): Promise<void> {
    const actor = this.#actor
    if (actor === undefined) return
    actor.tell(PoisonPill)
    await this.#within(this.#system.whenStopped(actor), 'The actor has not stopped')
    this.#actor = undefined
  }

  /** The state once all before it is stored. */
  async #look(): Promise<State> {
    const actor = this.#running()
    const stopped = this.#system.whenStopped(actor).then(() => undefined)
    const told = Promise.race([this.#asked(actor), stopped])
    const seen = await this.#within(told, 'The state was not told')
    // It was about to stop, and has not seen the question.
    const { state } = seen ?? (await this.#within(this.#asked(this.#start('latest')), 'No state'))
    return state
  }

  #asked(actor: ActorRef<Command | Look>): Promise<{ readonly state: State }> {
    const asked = actor.ask<unknown>((replyTo) => new Look(replyTo), { timeout: '30d' })
    return asked as Promise<{ readonly state: State }>
  }

  async #within<Result>(promise: Promise<Result>, text: string): Promise<Result> {
    promise.catch(() => undefined)
    const ended = promise.then(
      () => undefined,
      () => undefined,
    )
    if (await comesWithin(this.#withinMs, ended)) return promise
    throw new EventSourcingKitFailure(
      `${text} within ${formatMs(this.#withinMs)} of real time. Does the store stall, or a handler await what never comes?`,
      {},
    )
  }

  #mustSurvive(value: unknown, what: string): void {
    const after = this.#copied(value, what)
    if (isEqual(value, after)) return
    throw new EventSourcingKitFailure(`${what} does not survive serialization.`, {
      expected: value,
      actual: after,
    })
  }

  #copied(value: unknown, what: string): unknown {
    try {
      return this.#codec.copy(value, what)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : show(cause)
      throw new EventSourcingKitFailure(`${what} cannot be stored or sent: ${why}`, { cause })
    }
  }
}
