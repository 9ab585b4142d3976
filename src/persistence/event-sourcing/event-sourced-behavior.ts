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
import { type Behavior, Behaviors, SupervisorStrategy } from '../../actor/index.ts'
import { ValueCodec } from '../../serialization/index.ts'
import { checkPersistenceId } from '../persistence-id.ts'
import { JournalFailure, PersistenceFailure } from './event-sourced-errors.ts'
import { EventSourcedInstance } from './event-sourced-instance.ts'
import type { EventSourcedOptions, EventSourcedPlan } from './event-sourced-options.ts'
import { defaultEventSourcedSettings, problemsWithEventSourced } from './event-sourced-settings.ts'

export function EventSourcedBehavior<Command, Event, State>(
  options: EventSourcedOptions<Command, Event, State>,
): Behavior<Command> {
  const plan = planOf(options)
  return Behaviors.setup<Command>((outer) => {
    // Outside of what is restarted, so that commands survive a failed write.
    const { stashCapacity } = plan.settings
    const stashes = { waiting: outer.stash(stashCapacity), kept: outer.stash(stashCapacity) }
    let last: EventSourcedInstance<Command, Event, State> | undefined
    const instance = Behaviors.setup<Command>((context) => {
      last?.giveUp()
      last = new EventSourcedInstance(plan, context, stashes)
      return last.start()
    })
    return supervised(instance, plan.onPersistFailure)
  })
}

/** What the user's own supervision never sees: it might resume, and the state is ahead of what is stored. */
function supervised<Command>(
  behavior: Behavior<Command>,
  onPersistFailure: SupervisorStrategy | undefined,
): Behavior<Command> {
  const restarted =
    onPersistFailure === undefined
      ? behavior
      : Behaviors.supervise(behavior).onFailure(JournalFailure, onPersistFailure)
  return Behaviors.supervise(restarted).onFailure(PersistenceFailure, SupervisorStrategy.stop())
}

function planOf<Command, Event, State>(
  options: EventSourcedOptions<Command, Event, State>,
): EventSourcedPlan<Command, Event, State> {
  checkPersistenceId(options.persistenceId)
  const settings = { ...defaultEventSourcedSettings, ...options.settings }
  const problems = problemsWithEventSourced(settings)
  const { onPersistFailure } = options
  if (onPersistFailure !== undefined && onPersistFailure.type !== 'backoff') {
    problems.push('onPersistFailure must be SupervisorStrategy.restartWithBackoff(…)')
  }
  if (problems.length > 0)
    throw new InvalidSettings(`The settings of ${options.persistenceId}`, problems)
  const codec = options.codec ?? new ValueCodec({ use: 'stored' })
  return { ...options, settings, codec }
}
