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
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { refuseNotYet } from '../../foundation/not-there-yet.ts'
import {
  type ActorContext,
  type Behavior,
  Behaviors,
  SupervisorStrategy,
} from '../../actor/index.ts'
import { ValueCodec } from '../../serialization/index.ts'
import { checkPersistenceId } from '../persistence-id.ts'
import { problemsWithEncoding } from './event-adapter.ts'
import { JournalFailure, PersistenceFailure } from './event-sourced-errors.ts'
import { EventSourcedInstance } from './event-sourced-instance.ts'
import type {
  EventSourcedFamilyOptions,
  EventSourcedOptions,
  EventSourcedPlan,
} from './event-sourced-options.ts'
import { LatelyIdle } from './lately-idle.ts'
import { defaultEventSourcedSettings, problemsWithEventSourced } from './event-sourced-settings.ts'

/** Throws `InvalidPersistenceId`, `InvalidSettings` and `NotThereYet`. */
export function EventSourcedBehavior<Command, Event, State>(
  options: EventSourcedOptions<Command, Event, State>,
): Behavior<Command> {
  const { persistenceId, emptyState } = options
  checkPersistenceId(persistenceId)
  return new EventSourcedFamily(options, persistenceId).behavior(persistenceId, emptyState)
}

/** Event-sourced actors that differ in their ids only: what they have in common is there once. */
export class EventSourcedFamily<Command, Event, State> {
  readonly #plan: EventSourcedPlan<Command, Event, State>

  constructor(options: EventSourcedFamilyOptions<Command, Event, State>, name = 'the entities') {
    this.#plan = planOf(options, name)
  }

  /** The id must be a valid one: see `persistenceIdOf`. */
  behavior(persistenceId: string, emptyState: State): Behavior<Command> {
    const plan = this.#plan
    if (plan.onPersistFailure !== undefined) return restarted(plan, persistenceId, emptyState)
    return Behaviors.setup<Command>((context) =>
      new EventSourcedInstance({ plan, persistenceId, emptyState, context }).start(),
    )
  }
}

/** Builds the instance anew after a failed write; one that lost its stream stops all the same. */
function restarted<Command, Event, State>(
  plan: EventSourcedPlan<Command, Event, State>,
  persistenceId: string,
  emptyState: State,
): Behavior<Command> {
  const { onPersistFailure = SupervisorStrategy.stop(), settings } = plan
  return Behaviors.setup<Command>((outer) => {
    // Outside of what is restarted, so that commands survive a failed write.
    const { stashCapacity } = settings
    const stashes = { waiting: outer.stash(stashCapacity), kept: outer.stash(stashCapacity) }
    let last: EventSourcedInstance<Command, Event, State> | undefined
    const instance = Behaviors.setup<Command>((context: ActorContext<Command>) => {
      last?.giveUp()
      last = new EventSourcedInstance({ plan, persistenceId, emptyState, context, stashes })
      return last.start()
    })
    const inner = Behaviors.supervise(instance).onFailure(JournalFailure, onPersistFailure)
    // What the user's own supervision never sees: it might resume, and the state is ahead of what is stored.
    return Behaviors.supervise(inner).onFailure(PersistenceFailure, SupervisorStrategy.stop())
  })
}

const keepShort = 'Every event is read when an entity starts: keep streams short.'

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  retention: keepShort,
  snapshots: keepShort,
  snapshotWhen: keepShort,
  snapshotEvery: keepShort,
  snapshotAdapter: keepShort,
}

function planOf<Command, Event, State>(
  options: EventSourcedFamilyOptions<Command, Event, State>,
  name: string,
): EventSourcedPlan<Command, Event, State> {
  refuseNotYet(options, notYet)
  refuseNotYet(options.settings ?? {}, notYet, 'settings.')
  const settings = { ...defaultEventSourcedSettings, ...options.settings }
  const problems = problemsWithEventSourced(settings)
  const { onPersistFailure, eventAdapter, tagger } = options
  problems.push(...problemsWithEncoding(eventAdapter, tagger))
  if (onPersistFailure !== undefined && onPersistFailure.type !== 'backoff') {
    problems.push('onPersistFailure must be SupervisorStrategy.restartWithBackoff(…)')
  }
  if (problems.length > 0) throw new InvalidSettings(`The settings of ${name}`, problems)
  const codec = options.codec ?? new ValueCodec({ use: 'stored' })
  return { ...options, settings, codec, latelyIdle: new LatelyIdle() }
}
