/** How an event-sourced actor is described: its handlers, what they are told, and what it works with. */
import type {
  ActorContext,
  ChildFailed,
  Signal,
  SupervisorStrategy,
  Terminated,
} from '../../actor/index.ts'
import type { WithheldMail } from '../../actor/internals.ts'
import type { ValueCodec } from '../../serialization/internals.ts'
import type { Journal } from '../journal.ts'
import type { Effect } from './effect.ts'
import type { EventAdapter } from './event-adapter.ts'
import type { PersistenceFailure, RecoveryFailure } from './event-sourced-errors.ts'
import type { EventSourcedSettings } from './event-sourced-settings.ts'
import type { LatelyIdle } from './lately-idle.ts'
import type { RecoveryPermits } from './recovery-permits.ts'
import type { Retention } from './retention.ts'
import type { SnapshotForm } from './snapshot-form.ts'
import type { SnapshotNews } from './snapshot-news.ts'
import type { SnapshotChoice } from './snapshot-recovery.ts'
import type { SnapshotSignal } from './snapshot-signals.ts'
import type { StandardSchema } from './standard-schema.ts'

export interface EventSourcedOptions<Command, Event, State> extends EventSourcedFamilyOptions<
  Command,
  Event,
  State
> {
  readonly persistenceId: string
  /** Before the first event. States are values: handlers never change one, they make the next. */
  readonly emptyState: State
}

/** What many entities of one kind have in common. */
export interface EventSourcedFamilyOptions<Command, Event, State> extends SnapshotForm<State> {
  /**
   * Decides. May be async: then no other command is handled, and nothing that is held is released, until it settles.
   * What it sends by itself, past its effect, leaves at once and is not covered by any promise made here.
   */
  readonly commandHandler: (
    state: State,
    command: Command,
    context: EventSourcedContext<Command>,
  ) => Effect<Event, State> | Promise<Effect<Event, State>>
  /** Makes the next state. Pure: runs before an event is stored, and again whenever it is replayed. */
  readonly eventHandler: (
    state: State,
    event: Event,
    context: EventSourcedContext<Command>,
  ) => State
  /** Between the events of the handlers and what is stored of them. Without one, they are stored as they are. */
  readonly eventAdapter?: EventAdapter<Event>
  /**
   * Names under which the event can be found later, stored with it. `state` is the one after the event. At most 16, each of
   * 1 to 255 bytes in UTF-8; one given twice counts once.
   */
  readonly tagger?: (state: State, event: Event) => readonly string[]
  readonly signals?: EventSourcedSignalHandlers<Command, State>
  /**
   * Snapshots, so that a start reads the newest of them and the events after it. They are saved beside the commands, which do
   * not wait for them. Without it there are none, and every start reads all events.
   */
  readonly retention?: Retention | undefined
  /** Keeps the state that a command leads to as well, when one of its events makes this true. Deletes nothing. */
  readonly snapshotWhen?: ((state: State, event: Event, sequenceNr: number) => boolean) | undefined
  /** @internal Whether the state of this one may be kept: it may not be that of all its events. */
  readonly maySnapshot?: ((context: EventSourcedContext<Command>) => boolean) | undefined
  readonly recovery?: RecoveryChoice | undefined
  /** By any library that follows Standard Schema. What they refuse fails its command, and nothing is stored. */
  readonly schemas?: EventSourcedSchemas | undefined
  /** Called for a command that was not handled because the entity failed or ended: the place to tell whoever waits. */
  readonly refused?: (command: Command, error: PersistenceFailure) => void
  readonly journal: Journal
  /** @internal One for many entities saves memory. It must be for stored values. */
  readonly codec?: ValueCodec
  readonly settings?: Partial<EventSourcedSettings>
  /**
   * What becomes of a command that the entity stashes when it keeps `stashedCommandsMax` already. `'drop'`, the default: it is
   * published as `Dropped`. `'fail'`: the entity fails as well, with `StashOverflow`.
   */
  readonly onStashOverflow?: 'drop' | 'fail' | undefined
  /** Limits how many entities of the node recover at once; without it there is no limit. */
  readonly recoveryPermits?: RecoveryPermits
  /** Who writes, for people who look for the other instance; the path of the actor when not given. */
  readonly writer?: string
  /**
   * `SupervisorStrategy.restartWithBackoff(…)`: a failed recovery or write builds the entity anew instead of stopping it.
   * An instance that lost its stream to another always stops.
   */
  readonly onPersistFailure?: Extract<SupervisorStrategy, { readonly type: 'backoff' }>
}

export interface EventSourcedSchemas {
  /** Of every event, before it is applied and stored. Stored events are not looked at again. */
  readonly event?: StandardSchema | undefined
  /** Of a state that is kept as a snapshot, and of one that is read from it: a refused one is passed over. */
  readonly state?: StandardSchema | undefined
}

/** How the state is brought back. */
export interface RecoveryChoice {
  /** Which snapshot to begin with; `'latest'` when not given. */
  readonly snapshot?: SnapshotChoice | undefined
  /** Nothing is read: the state is the empty one, and the next event gets the number after the last one that is stored. */
  readonly disabled?: boolean | undefined
}

/** What handlers know about the entity beside its state. */
export interface EventSourcedContext<in out Command> {
  /** Valid in command handlers, `thenRun` and signal handlers, as for any actor. */
  readonly actor: ActorContext<Command>
  readonly persistenceId: string
  /** That of the event being applied; elsewhere of the last event that the state at hand is made of. */
  readonly lastSequenceNr: number
  /** Whether events are being replayed. */
  readonly isRecovering: boolean
}

/** What handlers of a family get: they are told which of them it is. */
export interface FamilyContext<in out Command> extends EventSourcedContext<Command> {
  /** The persistence id without what all of the family begin with. */
  readonly id: string
}

/** All events are applied; commands come next. */
export interface RecoveryCompleted {
  readonly type: 'RecoveryCompleted'
}

/** The state is not to be relied on; the entity stops, or is built anew. */
export interface RecoveryFailed {
  readonly type: 'RecoveryFailed'
  readonly error: RecoveryFailure
}

/** Whoever would have learned of its events learns of this: the entity stops, or is built anew. */
export interface PersistFailed {
  readonly type: 'PersistFailed'
  readonly error: PersistenceFailure
}

/** The journal refuses these events for what they are, such as one that is too large. The entity stops, or is built anew. */
export interface PersistRejected {
  readonly type: 'PersistRejected'
  readonly error: PersistenceFailure
}

export type EventSourcedSignal =
  | Signal
  | RecoveryCompleted
  | RecoveryFailed
  | PersistFailed
  | PersistRejected
  | SnapshotSignal

/** As for any actor, with the newest state: its last events may still be in flight, and what is sent here does not wait. */
export type EventSourcedSignalHandlers<Command, State> = {
  readonly [Kind in EventSourcedSignal['type']]?: (
    state: State,
    signal: Kind extends 'Terminated'
      ? Terminated | ChildFailed
      : Extract<EventSourcedSignal, { readonly type: Kind }>,
    context: EventSourcedContext<Command>,
  ) => Kind extends Signal['type'] ? void | Promise<void> : void
}

/** Each of them is there, maybe as undefined. */
type Whole<Options> = { readonly [Name in keyof Required<Options>]: Options[Name] }

/** The options, checked and completed: objects of one shape, whatever was given. */
export type EventSourcedPlan<Command, Event, State> = Whole<
  Omit<EventSourcedFamilyOptions<Command, Event, State>, 'codec' | 'settings'>
> & {
  /** For handlers that are methods of the options; of one actor only. */
  readonly persistenceId: string | undefined
  readonly emptyState: State | undefined
  /** What the persistence ids of all of them begin with. */
  readonly idPrefix: string
  readonly codec: ValueCodec
  readonly settings: EventSourcedSettings
  readonly latelyIdle: LatelyIdle
  readonly snapshotNews: SnapshotNews
  /** Whether states are kept, or may be: then every command is looked at. */
  readonly savesSnapshots: boolean
  /** How much mail waits for one that cannot handle any. */
  readonly withheldMail: WithheldMail
}
