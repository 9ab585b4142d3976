/**
 * One life of an event-sourced actor, from its claim of the stream to its end.
 *
 *   recovering ──▶ running ──stop effect──▶ stopping ──▶ ended
 *       └─────────────┴──failure, stop or restart of the actor──▶ ended
 *
 * While it is not running, or too many commands wait for the journal, its mail is withheld: it waits in the mailbox. So
 * whatever stops the actor in good order keeps its place there, behind every command that came before. When
 * nothing was under way for a while, all that is kept is the state and where the stream stands.
 * Invariants: the state is that of all events handled so far; an event that the handler refuses is never written. Mail is
 * taken only when a command may be handled: all that came before an order to stop is handled first, nothing after it.
 * One file because every part of it reads and changes the phase.
 */
import {
  type ActorContext,
  type Behavior,
  Behaviors,
  Dropped,
  type SignalHandlers,
} from '../../actor/index.ts'
import { failAsker } from '../../actor/internals.ts'
import { show } from '../../foundation/show.ts'
import type { Claim, NewEvent } from '../journal.ts'
import type { StoredSnapshot } from '../snapshots.ts'
import { writerNamed } from '../journals/fence.ts'
import type { EventSourcedDroppedReason } from './event-sourced-drop-reasons.ts'
import { type ActorCell, cellOf, scopeOf } from './actor-turn.ts'
import { CommandStash, type CommandStashes } from './command-stash.ts'
import { type DueSnapshot, dueSnapshot, snapshotOf } from './due-snapshot.ts'
import { Effect } from './effect.ts'
import { adapted, encoded } from './event-adapter.ts'
import {
  EventsOutcomeUnknown,
  EventsRejected,
  InstanceEnded,
  InvalidEffect,
  JournalFailure,
  PersistenceFailure,
  RecoveryFailure,
  StashOverflow,
} from './event-sourced-errors.ts'
import type { EventSourcedContext, EventSourcedPlan } from './event-sourced-options.ts'
import { signalHandlersOf } from './event-sourced-signals.ts'
import { isIdle, newWork, type Work, type WorkAround } from './event-sourced-work.ts'
import { type HeldEffects, perform } from './held-effects.ts'
import type { Resting } from './lately-idle.ts'
import { Recovery, type SnapshotChoices } from './recovery.ts'
import { decodedSnapshot } from './snapshot-form.ts'
import { SnapshotKeeper } from './snapshot-keeper.ts'
import type { RecoveryStart } from './snapshot-recovery.ts'
import type { SnapshotSignal } from './snapshot-signals.ts'
import { checkBySchema } from './standard-schema.ts'
import { type PipelineOwner, WritePipeline } from './write-pipeline.ts'

type Handled = void | typeof Behaviors.unhandled

const noEvents: readonly NewEvent[] = []

export interface InstanceOptions<Command, Event, State> {
  readonly plan: EventSourcedPlan<Command, Event, State>
  /** The persistence id without what all of the plan begin with. */
  readonly id: string
  readonly emptyState: State
  readonly context: ActorContext<Command>
  /** Those of whoever restarts instances; without it the instance has its own. */
  readonly stashes?: CommandStashes<Command>
}

/** It is the behavior of its actor as well: of a million that rest, each would carry one more object and its functions. */
export class EventSourcedInstance<Command, Event, State>
  implements Behavior<Command>, Resting, PipelineOwner
{
  readonly #plan: EventSourcedPlan<Command, Event, State>
  readonly #id: string
  readonly #cell: ActorCell
  #work: Work<Command, Event, State> | undefined
  #state: State
  #sequenceNr = 0
  #epoch = 0
  /** Of the newest snapshot that is known to be in the store; 0 when none is. Outlives what is under way. */
  #snapshotNr = 0

  constructor(options: InstanceOptions<Command, Event, State>) {
    const { plan, id, emptyState, context, stashes } = options
    this.#plan = plan
    this.#id = id
    this.#cell = cellOf(context)
    this.#state = emptyState
    this.#work = this.#newWork({ phase: 'recovering', stashes, scope: scopeOf(context) })
  }

  start(): this {
    const work = this.#begin()
    work.turn.withholdMail(this.#plan.withheldMail)
    work.recovery = this.#newRecovery(work)
    work.recovery.start()
    return this
  }

  // ---- as the behavior of its actor

  get kind(): 'receiveMessage' {
    return 'receiveMessage'
  }

  /** Made when a signal comes, which is seldom. */
  get onSignal(): SignalHandlers<Command> {
    return signalHandlersOf(this.#plan.signals, this)
  }

  /** Who has nothing under way runs. */
  get #phase(): WorkAround<Command>['phase'] {
    return this.#work === undefined ? 'running' : this.#work.phase
  }

  get #persistenceId(): string {
    return this.#plan.idPrefix + this.#id
  }

  /** Not kept: there may be a million of them. */
  get #context(): ActorContext<Command> {
    return this.#cell.context as ActorContext<Command>
  }

  get state(): State {
    return this.#state
  }

  get view(): EventSourcedContext<Command> {
    return this.#begin().view
  }

  /** A new instance begins although this one could not end. */
  giveUp(): void {
    const { recovery, writes } = this.#end()
    recovery?.cancel()
    writes?.giveUp()
  }

  /** The actor ends, or only this life of it. */
  drain(isForGood: boolean): Promise<void> | undefined {
    const { turn, recovery, writes } = this.#end()
    if (isForGood) turn.loseMail()
    recovery?.cancel()
    const drained = writes?.drain() ?? recovery?.whenClaimed
    // Answers that wait for a turn: there will be none.
    turn.runWaiting()
    return drained
  }

  #end(): Work<Command, Event, State> {
    const work = this.#begin()
    work.phase = 'ended'
    this.#plan.latelyIdle.ended(this)
    // Who is built anew goes on with its mail; what else may come in its place must not find it withheld.
    if (!work.isBuiltAnew) work.turn.letMailIn()
    return work
  }

  // ---- what is under way

  #begin(): Work<Command, Event, State> {
    return (this.#work ??= this.#newWork({
      phase: 'running',
      stashes: undefined,
      scope: undefined,
    }))
  }

  #newWork(around: WorkAround<Command>): Work<Command, Event, State> {
    const view = {
      actor: this.#context,
      id: this.#id,
      persistenceId: this.#persistenceId,
      lastSequenceNr: this.#sequenceNr,
      isRecovering: around.phase === 'recovering',
    }
    return newWork(view, around, this.#plan.onPersistFailure !== undefined)
  }

  #stashOf(work: Work<Command, Event, State>): CommandStash<Command> {
    const context = this.#context
    const { stashedCommandsMax } = this.#plan.settings
    return (work.stash ??= new CommandStash(
      work.stashes ?? {
        waiting: context.stash(stashedCommandsMax),
        kept: context.stash(stashedCommandsMax),
      },
      context,
      this.#plan.onStashOverflow === 'fail'
        ? () => new StashOverflow(this.#persistenceId, stashedCommandsMax)
        : undefined,
    ))
  }

  #rest(): void {
    if (this.#work !== undefined && isIdle(this.#work)) this.#plan.latelyIdle.rests(this)
  }

  get isKept(): boolean {
    return this.#work?.isKept === true
  }

  set isKept(isKept: boolean) {
    if (this.#work !== undefined) this.#work.isKept = isKept
  }

  letGo(): void {
    const work = this.#work
    if (work === undefined || !isIdle(work)) return
    if (work.scope === undefined && work.stashes === undefined) {
      this.#work = undefined
      this.#cell.dropBlankState()
    } else {
      // What is around it was told once, while it was set up.
      work.stash = undefined
      work.writes = undefined
      work.snapshots = undefined
    }
  }

  // ---- recovery

  #newRecovery({ turn }: Work<Command, Event, State>): Recovery<unknown> {
    const { journal, recoveryPermits: permits, settings, codec } = this.#plan
    return new Recovery<unknown>({
      persistenceId: this.#persistenceId,
      journal,
      permits,
      settings,
      writer: this.#plan.writer ?? writerNamed(this.#context.self.toString()),
      grant: () => this.#cell.gate?.grant,
      timers: this.#context.system.environment.timers,
      turn,
      decode: (bytes) => codec.decode(bytes),
      snapshots: this.#snapshotChoices(),
      startFrom: (snapshot) => this.#startFrom(snapshot),
      apply: (stored, sequenceNr) => this.#replayed(stored, sequenceNr),
      completed: (claim, start) => this.#recovered(claim, start),
      failed: (error) => this.#recoveryFailed(error),
    })
  }

  #snapshotChoices(): SnapshotChoices | undefined {
    const { recovery = {}, retention, snapshotWhen, savesSnapshots, snapshotNews } = this.#plan
    if (recovery.disabled === true) return undefined
    const { system } = this.#context
    // Where no more than that may have been saved, none is asked for; and none but what deleted events need, where none are.
    const every = retention?.snapshotEvery
    const eventsMin =
      recovery.snapshot !== undefined || snapshotWhen !== undefined ? 1 : (every ?? Infinity)
    return {
      choice: recovery.snapshot ?? 'latest',
      eventsMin: savesSnapshots ? eventsMin : Infinity,
      every,
      passedOver: (problems) => snapshotNews.passedOver(system, this.#persistenceId, problems),
    }
  }

  #startFrom({ sequenceNr, bytes }: StoredSnapshot): void {
    const { view } = this.#begin()
    this.#state = decodedSnapshot(this.#plan, this.#plan.codec, bytes)
    this.#sequenceNr = sequenceNr
    view.lastSequenceNr = sequenceNr
  }

  #replayed(stored: unknown, sequenceNr: number): void {
    const { view } = this.#begin()
    const { eventAdapter, eventHandler } = this.#plan
    view.lastSequenceNr = sequenceNr
    if (eventAdapter === undefined) {
      this.#state = eventHandler(this.#state, stored as Event, view)
    } else {
      for (const event of adapted(eventAdapter, stored, sequenceNr)) {
        this.#state = eventHandler(this.#state, event, view)
      }
    }
    this.#sequenceNr = sequenceNr
  }

  #recovered(claim: Claim, start: RecoveryStart): void {
    const work = this.#begin()
    this.#epoch = claim.epoch
    // Those that were deleted have not been replayed, and count.
    this.#sequenceNr = claim.highestSequenceNr
    work.view.lastSequenceNr = claim.highestSequenceNr
    work.phase = 'running'
    work.recovery = undefined
    work.view.isRecovering = false
    if (work.stashes !== undefined) this.#stashOf(work)
    this.#goOn()
    this.#keepAfterRecovery(start, claim)
    this.#plan.signals?.RecoveryCompleted?.(this.#state, { type: 'RecoveryCompleted' }, work.view)
    this.#rest()
  }

  #recoveryFailed(cause: unknown): never {
    const work = this.#begin()
    work.phase = 'ended'
    work.isBuiltAnew = this.#plan.onPersistFailure !== undefined
    const { lastSequenceNr } = work.view
    const handling = lastSequenceNr > this.#sequenceNr ? lastSequenceNr : undefined
    const error = new RecoveryFailure(this.#persistenceId, cause, handling)
    try {
      const signal = { type: 'RecoveryFailed', error } as const
      this.#plan.signals?.RecoveryFailed?.(this.#state, signal, this.view)
    } catch (failure) {
      this.#context.log.error({ err: failure }, 'the handler of RecoveryFailed failed')
    }
    this.#refuseWaiting(error)
    throw error
  }

  // ---- commands

  onMessage(command: Command): Handled | Promise<Handled> {
    const work = this.#begin()
    const { stash } = work
    const isStashed = stash !== undefined && stash.takeOrigin()
    if (!isStashed && (!this.#mayHandle() || stash?.isDue === true))
      return this.#wait(command, work)
    try {
      const effect = this.#plan.commandHandler(this.#state, command, work.view)
      if (effect instanceof Promise) return this.#acceptLater(command, effect)
      return this.#accept(command, effect)
    } catch (error) {
      return this.#commandFailed(error)
    }
  }

  /** It came past the mailbox, or in the very moment in which nothing may be handled any more. */
  #wait(command: Command, work: Work<Command, Event, State>): void {
    const { rejection } = work
    if (rejection !== undefined) {
      // Whoever supervises it has let it go on after all: its state is ahead of what is stored, so it ends.
      this.#lost(command)
      failAsker(command, () => rejection)
      return work.turn.failForGood(rejection)
    }
    this.#stashOf(work).wait(command)
    if (this.#mayHandle()) this.#goOn()
    else work.turn.withholdMail(this.#plan.withheldMail)
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
    const { handling, sideEffects, stops, unstashes } = effect
    if (this.#phase !== 'running') return this.#lost(command)
    const work = this.#begin()
    if (handling === 'stash') return this.#stashOf(work).keep(command)
    if (effect.isRead && work.writes?.isIdle !== false) return this.#performNow(effect)
    const before = this.#sequenceNr
    const stored = this.#advance(effect, work)
    const deletes = effect.done?.deletes === true
    const snapshot =
      this.#plan.savesSnapshots && stored.length > 0 ? this.#dueSince(before, work) : undefined
    if (deletes) {
      work.snapshots?.forget()
      work.endedAt = before
      this.#snapshotNr = 0
    }
    if (stops) work.phase = 'stopping'
    if (unstashes) work.stash?.callKept()
    const state = this.#state
    const held = { command, state, sequenceNr: this.#sequenceNr, sideEffects, stops, snapshot }
    this.#hold(stored, held, work, deletes)
    if (!this.#mayHandle()) work.turn.withholdMail(this.#plan.withheldMail)
    else if (unstashes) this.#goOn()
    return handling === 'unhandled' ? Behaviors.unhandled : undefined
  }

  /** What depends on no event in flight happens at once, and needs nothing to be held by. */
  #performNow({ sideEffects, stops }: Pick<HeldEffects<State>, 'sideEffects' | 'stops'>): void {
    perform(sideEffects, this.#state, this)
    if (stops) this.#context.stop()
    this.#rest()
  }

  #hold(
    events: readonly NewEvent[],
    held: HeldEffects<State>,
    work: Work<Command, Event, State>,
    deletes: boolean,
  ): void {
    if (events.length === 0 && !deletes && work.writes === undefined) return this.#performNow(held)
    work.writes ??= this.#newWrites(work, this.#sequenceNr - events.length)
    work.writes.add(events, held, deletes)
    if (events.length === 0 && !deletes) this.#rest()
  }

  #newWrites(
    { turn, view }: Work<Command, Event, State>,
    highestSequenceNr: number,
  ): WritePipeline<Command, Event, State> {
    return new WritePipeline({
      plan: this.#plan,
      claim: { epoch: this.#epoch, highestSequenceNr },
      turn,
      view,
      owner: this,
    })
  }

  stored(): void {
    this.#goOn()
    this.#rest()
  }

  failed(error: unknown): never {
    return this.#commandFailed(error)
  }

  snapshotDue(due: DueSnapshot): void {
    this.#keep(due)
  }

  // ---- snapshots

  #dueSince(before: number, work: Work<Command, Event, State>): DueSnapshot | undefined {
    const isWanted = work.isSnapshotWanted
    work.isSnapshotWanted = false
    return dueSnapshot(this.#plan, this.#state, { before, last: this.#sequenceNr, isWanted })
  }

  /** All events up to it are stored. */
  #keep(due: DueSnapshot | undefined): void {
    if (due === undefined) return
    const work = this.#begin()
    if (this.#plan.maySnapshot?.(work.view) === false) return
    work.snapshots ??= this.#newSnapshots()
    work.snapshots.keep(due)
  }

  #newSnapshots(): SnapshotKeeper {
    const { journal, retention } = this.#plan
    const { clock } = this.#context.system.environment
    const options = {
      ...{ persistenceId: this.#persistenceId, epoch: this.#epoch, journal, retention },
      // Whole, which a clock need not be.
      wallMs: () => Math.floor(clock.wallMs()),
      tell: (signal: SnapshotSignal) => this.#tellOfSnapshot(signal),
    }
    return new SnapshotKeeper(options, this.#snapshotNr)
  }

  /** What took long to read is kept at once, so that the next start does not. */
  #keepAfterRecovery(
    { sequenceNr, isSnapshot }: RecoveryStart,
    { highestSequenceNr }: Claim,
  ): void {
    const { retention, savesSnapshots } = this.#plan
    if (isSnapshot) this.#snapshotNr = sequenceNr
    if (!savesSnapshots || retention === undefined) return
    if (highestSequenceNr - sequenceNr < retention.snapshotEvery) return
    this.#keep(snapshotOf(this.#plan, this.#state, highestSequenceNr, true))
  }

  #tellOfSnapshot(signal: SnapshotSignal): void {
    const { turn, endedAt } = this.#begin()
    if (this.#phase === 'ended' || turn.isTerminated) return
    if ('sequenceNr' in signal && signal.sequenceNr <= endedAt) return
    if (signal.type === 'SnapshotSaved') this.#snapshotNr = signal.sequenceNr
    this.#plan.snapshotNews.heard(this.#context.system, this.#persistenceId, signal)
    turn.run(() => {
      if (this.#phase === 'ended') return
      type Handler = (state: State, signal: SnapshotSignal, context: unknown) => void
      const handler = this.#plan.signals?.[signal.type] as Handler | undefined
      handler?.(this.#state, signal, this.view)
      this.#rest()
    })
  }

  rejected(error: unknown): void {
    const { turn } = this.#begin()
    if (!turn.isTerminated) return turn.run(() => this.#commandFailed(error))
    this.#context.log.error({ err: error }, 'an async side effect failed after the actor had ended')
  }

  /** Applies the events before they are written: all of them, or none. */
  #advance(
    { events, done }: Effect<Event, State>,
    work: Work<Command, Event, State>,
  ): readonly NewEvent[] {
    const { view } = work
    const { eventHandler, settings, snapshotWhen, schemas } = this.#plan
    const count = done?.events.length ?? events.length
    if (count > settings.appendEventsMax) {
      throw new InvalidEffect(
        `${count} events of one command are more than appendEventsMax, ${settings.appendEventsMax}.`,
      )
    }
    if (done !== undefined) {
      view.lastSequenceNr += count
      this.#state = done.state
      this.#sequenceNr = view.lastSequenceNr
      return done.events
    }
    let stored: NewEvent[] | undefined
    let state = this.#state
    for (const event of events) {
      view.lastSequenceNr++
      if (schemas?.event !== undefined) checkBySchema(schemas.event, event, 'An event')
      state = eventHandler(state, event, view)
      const bytes = encoded(this.#plan, this.#persistenceId, state, event)
      // Of one, as a rule: pushed onto an empty list it would take room for sixteen.
      if (stored === undefined) stored = [bytes]
      else stored.push(bytes)
      if (snapshotWhen?.(state, event, view.lastSequenceNr) === true) work.isSnapshotWanted = true
    }
    this.#state = state
    this.#sequenceNr = view.lastSequenceNr
    return stored ?? noEvents
  }

  /** An async handler has outlived its instance. */
  #lost(command: Command): void {
    const { self, system } = this.#context
    this.#plan.refused?.(command, new InstanceEnded(this.#persistenceId))
    system.runtime.lost(
      new Dropped(command, self, 'not-stored' satisfies EventSourcedDroppedReason),
    )
  }

  #commandFailed(error: unknown): never {
    const work = this.#begin()
    const { view, stash, turn } = work
    view.lastSequenceNr = this.#sequenceNr
    stash?.interrupted()
    if (error instanceof PersistenceFailure) this.#tellFailed(error)
    if (error instanceof EventsRejected) {
      work.rejection = error
      // Whoever is built anew gets it; what was let go on shows itself by it.
      turn.letMailIn()
    } else if (error instanceof PersistenceFailure) {
      this.#refuseWaiting(error)
      work.isBuiltAnew =
        error instanceof JournalFailure && this.#plan.onPersistFailure !== undefined
      // What follows it gets the mail, also an order to stop that is in it, and nobody in between.
      if (work.isBuiltAnew) turn.withholdMail(this.#plan.withheldMail)
    }
    // Should a supervisor resume this actor, the commands behind this one go on.
    turn.run(() => this.#goOn())
    throw error
  }

  /** Before it ends by this. What the handler throws is only told. */
  #tellFailed(error: PersistenceFailure): void {
    const { signals } = this.#plan
    try {
      const isRejected = error instanceof EventsRejected
      if (isRejected)
        signals?.PersistRejected?.(this.#state, { type: 'PersistRejected', error }, this.view)
      else signals?.PersistFailed?.(this.#state, { type: 'PersistFailed', error }, this.view)
    } catch (failure) {
      this.#context.log.error({ err: failure }, 'the handler of a failed write failed')
    }
  }

  /** The instance fails, and nobody builds it anew. */
  #refuseWaiting(error: PersistenceFailure): void {
    const { refused, onPersistFailure } = this.#plan
    if (onPersistFailure !== undefined) return
    // Nobody can tell what became of those that were handled; these were not.
    const isUnknown = error instanceof EventsOutcomeUnknown
    const told = isUnknown ? new InstanceEnded(this.#persistenceId) : error
    const { stash, turn } = this.#begin()
    if (refused !== undefined) {
      stash?.forEachWaiting((command) => refused(command, told))
      turn.forEachMail((command) => refused(command, told))
    }
    stash?.forEachWaiting((command) => failAsker(command, () => told))
    turn.failAskers(told)
  }

  /** Whether one more command may be handled before something is stored. */
  #mayHandle(): boolean {
    if (this.#phase !== 'running') return false
    const writes = this.#work?.writes
    if (writes === undefined) return true
    return writes.isOpen && writes.heldCount < this.#plan.settings.unstoredCommandsMax
  }

  /** Lets commands come if they may be handled: those that are due from the stash, then mail. */
  #goOn(): void {
    if (this.#work === undefined || !this.#mayHandle()) return
    const { turn, stash } = this.#work
    turn.letMailIn()
    if (stash?.beginReplay() === true) turn.replay(() => stash.next(this.#mayHandle()))
  }
}
