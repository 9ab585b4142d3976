/**
 * An actor whose newest state is stored, and nothing of how it came about. Everything else is as for event-sourced actors, whose
 * machinery it runs on: commands do not wait for the store, and nothing leaves before the state it depends on is stored.
 *
 *   DurableStateBehavior<Command, State>({
 *     persistenceId: persistenceIdOf('Counter', 'visits'),
 *     emptyState: { count: 0 },
 *     commandHandler: ({ count }, { by, replyTo }) =>
 *       effect.persist({ count: count + by }).thenReply(replyTo, (state) => state.count),
 *     journal,
 *   })
 */
import type { Behavior } from '../../actor/index.ts'
import { codecOfStore } from '../../serialization/internals.ts'
import { keepsStates } from '../durable-states.ts'
import { checkDurableState } from '../event-sourcing/check-event-sourced.ts'
import { Effect } from '../event-sourcing/effect.ts'
import { InvalidEffect } from '../event-sourcing/event-sourced-errors.ts'
import { EventSourcedBehavior } from '../event-sourcing/event-sourced-behavior.ts'
import { encodedState } from '../event-sourcing/snapshot-form.ts'
import { assert } from '../../foundation/assert.ts'
import type { DurableStateEffect } from './durable-state-effects.ts'
import type { DurableStateOptions } from './durable-state-options.ts'
import { StatesAsJournal } from './states-as-journal.ts'
import { type StateForm, snapshotFormOf, storedState } from './stored-state.ts'

/** Throws `InvalidPersistenceId` and `InvalidSettings`. */
export function DurableStateBehavior<Command, State>(
  options: DurableStateOptions<Command, State>,
): Behavior<Command> {
  checkDurableState(options)
  const { emptyState, commandHandler, stateAdapter, stateVersion, upcastState, schemas, ...rest } =
    options
  const { journal } = rest
  assert(keepsStates(journal), 'it was checked that the journal keeps states')
  const form: StateForm<State> = {
    ...{ stateAdapter, stateVersion, schemas },
    ...(upcastState !== undefined && { upcastState: upcastState.bind(options) }),
  }
  const codec = rest.codec ?? codecOfStore()
  const asSnapshot = snapshotFormOf(form)
  const stored = (effect: DurableStateEffect<State>): Effect<State, State> => {
    // Refused by whoever gets it.
    if (!(effect instanceof Effect)) return effect
    if (effect.done?.deletes === true)
      return effect.asApplied({ ...effect.done, state: emptyState })
    if (effect.events.length === 0) return effect
    const { length } = effect.events
    if (length > 1) {
      throw new InvalidEffect(
        `A command handler persists ${length} values, and there is one durable state. Make its effects by durableEffectsFor: that persist takes a state, also one that is a list.`,
      )
    }
    const [state] = effect.events as readonly [State]
    const events = [encodedState(asSnapshot, codec, state)]
    return effect.asApplied({ events, state, deletes: false })
  }
  return EventSourcedBehavior<Command, State, State>({
    ...rest,
    emptyState,
    codec,
    journal: new StatesAsJournal(journal),
    commandHandler: (state, command, context) => {
      const effect = commandHandler(state, command, context)
      return effect instanceof Promise ? effect.then(stored) : stored(effect)
    },
    eventHandler: (_, event, { persistenceId, lastSequenceNr }) =>
      storedState(form, event, persistenceId, lastSequenceNr),
  })
}
