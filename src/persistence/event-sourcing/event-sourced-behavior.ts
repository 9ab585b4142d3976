/**
 * An actor whose state is made of stored events. Commands come to effects, events make the next state, and nothing that
 * is sent through an effect leaves before the events it depends on are stored. Commands do not wait for the store: the
 * next one is handled on the new state while earlier events are in flight.
 *
 *   EventSourcedBehavior<Command, Event, State>({
 *     persistenceId: persistenceIdOf('Counter', 'visits'),
 *     emptyState: { count: 0 },
 *     commandHandler: (state, { by, replyTo }) => effect.persist({ by }).thenReply(replyTo, ({ count }) => count),
 *     eventHandler: (state, { by }) => ({ count: state.count + by }),
 *     journal,
 *   })
 */
import {
  type ActorContext,
  type Behavior,
  Behaviors,
  SupervisorStrategy,
} from '../../actor/index.ts'
import { codecOfStore } from '../../serialization/internals.ts'
import { checkPersistenceId } from '../persistence-id.ts'
import { hasSnapshots } from '../snapshots.ts'
import { checkEventSourced, checkEventSourcedFamily } from './check-event-sourced.ts'
import { JournalFailure, WriterFenced } from './event-sourced-errors.ts'
import { EventSourcedInstance } from './event-sourced-instance.ts'
import type {
  EventSourcedFamilyOptions,
  EventSourcedOptions,
  EventSourcedPlan,
} from './event-sourced-options.ts'
import type { EventSourcedDroppedReason } from './event-sourced-drop-reasons.ts'
import { LatelyIdle } from './lately-idle.ts'
import { SnapshotNews } from './snapshot-news.ts'
import { defaultEventSourcedSettings } from './event-sourced-settings.ts'

/** Throws `InvalidPersistenceId`, `InvalidSettings` and `NotThereYet`. */
export function EventSourcedBehavior<Command, Event, State>(
  options: EventSourcedOptions<Command, Event, State>,
): Behavior<Command> {
  checkEventSourced(options)
  const { persistenceId, emptyState } = options
  checkPersistenceId(persistenceId)
  return behaviorOf(planOf(options, ''), persistenceId, emptyState)
}

/** Event-sourced actors that differ in their ids only: what they have in common is there once. */
export class EventSourcedFamily<Command, Event, State> {
  readonly #plan: EventSourcedPlan<Command, Event, State>

  /** All persistence ids begin with `idPrefix`. Throws `InvalidSettings` and `NotThereYet`. */
  constructor(options: EventSourcedFamilyOptions<Command, Event, State>, idPrefix = '') {
    checkEventSourcedFamily(options)
    this.#plan = planOf(options, idPrefix)
  }

  /** Throws `InvalidPersistenceId`. */
  behavior(id: string, emptyState: State): Behavior<Command> {
    checkPersistenceId(this.#plan.idPrefix + id)
    return behaviorOf(this.#plan, id, emptyState)
  }
}

function behaviorOf<Command, Event, State>(
  plan: EventSourcedPlan<Command, Event, State>,
  id: string,
  emptyState: State,
): Behavior<Command> {
  if (plan.onPersistFailure !== undefined) return restarted(plan, id, emptyState)
  return Behaviors.setup<Command>((context) =>
    new EventSourcedInstance({ plan, id, emptyState, context }).start(),
  )
}

/** Builds the instance anew after a failed write; one that lost its stream stops all the same. */
function restarted<Command, Event, State>(
  plan: EventSourcedPlan<Command, Event, State>,
  id: string,
  emptyState: State,
): Behavior<Command> {
  const { onPersistFailure = SupervisorStrategy.stop(), settings } = plan
  return Behaviors.setup<Command>((outer) => {
    // Outside of what is restarted, so that commands survive a failed write.
    const { stashedCommandsMax } = settings
    const stashes = {
      waiting: outer.stash(stashedCommandsMax),
      kept: outer.stash(stashedCommandsMax),
    }
    let last: EventSourcedInstance<Command, Event, State> | undefined
    const instance = Behaviors.setup<Command>((context: ActorContext<Command>) => {
      last?.giveUp()
      last = new EventSourcedInstance({ plan, id, emptyState, context, stashes })
      return last.start()
    })
    const inner = Behaviors.supervise(instance).onFailure(JournalFailure, onPersistFailure)
    // What the user's own supervision never sees: it might resume, and the state is ahead of what is stored.
    return Behaviors.supervise(inner).onFailure(WriterFenced, SupervisorStrategy.stop())
  })
}

function planOf<Command, Event, State>(
  options: EventSourcedFamilyOptions<Command, Event, State>,
  idPrefix: string,
): EventSourcedPlan<Command, Event, State> {
  const settings = { ...defaultEventSourcedSettings, ...options.settings }
  const codec = options.codec ?? codecOfStore()
  const withheldMail = {
    messagesMax: settings.stashedCommandsMax,
    reason: 'stash-full' satisfies EventSourcedDroppedReason,
  }
  const { retention, snapshotWhen, journal, recovery } = options
  const isAsked = retention !== undefined || snapshotWhen !== undefined
  // A state that began empty is not that of all its events, and must not be kept as if it were.
  const savesSnapshots = hasSnapshots(journal) && isAsked && recovery?.disabled !== true
  const snapshotNews = new SnapshotNews()
  const alone = options as Partial<EventSourcedOptions<Command, Event, State>>
  // Name by name: what is made by `...options` has a shape of its own each time, and entities of several kinds would look
  // for everything in it by name.
  return {
    persistenceId: alone.persistenceId,
    emptyState: alone.emptyState,
    idPrefix,
    commandHandler: options.commandHandler,
    eventHandler: options.eventHandler,
    eventAdapter: options.eventAdapter,
    tagger: options.tagger,
    signals: options.signals,
    retention,
    snapshotWhen,
    maySnapshot: options.maySnapshot,
    recovery,
    schemas: options.schemas,
    refused: options.refused,
    journal,
    onStashOverflow: options.onStashOverflow,
    recoveryPermits: options.recoveryPermits,
    writer: options.writer,
    onPersistFailure: options.onPersistFailure,
    snapshotAdapter: options.snapshotAdapter,
    snapshotVersion: options.snapshotVersion,
    upcastSnapshot: options.upcastSnapshot,
    settings,
    codec,
    latelyIdle: new LatelyIdle(),
    withheldMail,
    snapshotNews,
    savesSnapshots,
  }
}
