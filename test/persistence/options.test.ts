/** Options of event-sourced actors, as somebody without types may write them. */
import { expect, test } from 'vitest'
import { InvalidSettings } from '../../src/foundation/invalid-settings.ts'
import {
  type Effects,
  effectsFor,
  EventSourcedBehavior,
  InvalidPersistenceId,
  MemoryJournal,
} from '../../src/persistence/index.ts'
import { EventSourcedFamily } from '../../src/persistence/internals.ts'

const effect: Effects<string, string> = effectsFor()
const common = {
  commandHandler: () => effect.none(),
  eventHandler: (state: string) => state,
  journal: new MemoryJournal(),
}
const whole = { ...common, persistenceId: 'Cart|1', emptyState: '' }

const make = (options: unknown) => EventSourcedBehavior(options as typeof whole)

const refusalOf = (door: () => unknown): InvalidSettings => {
  try {
    door()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidSettings)
    return error as InvalidSettings
  }
  throw new Error('it was taken')
}

const wrong: readonly (readonly [slip: object, problem: string])[] = [
  [{ commandHandler: undefined }, 'commandHandler must be a function, not undefined'],
  [{ eventHandler: {} }, 'eventHandler must be a function, not {}'],
  [{ refused: 'no' }, "refused must be a function, not 'no'"],
  [{ journal: undefined }, 'journal must be given: the one that all nodes share'],
  [{ journal: {} }, 'journal lacks the functions claim, append, read'],
  [{ codec: {} }, 'codec lacks the functions encode, decode'],
  [{ recoveryPermits: 50 }, 'recoveryPermits must be an object with the function request, not 50'],
  [{ writer: 5 }, 'writer must be a text, not 5'],
  [{ signals: 'all' }, "signals must be an object, not 'all'"],
  [{ signals: { PostStop: 5 } }, 'signals.PostStop must be a function, not 5'],
  [{ signals: { Stopped: () => undefined } }, 'Stopped is not a signal; known: PostStop, '],
  [{ settings: 5 }, 'settings must be an object, not 5'],
  [{ settings: { stashSize: 5 } }, 'stashSize is not a setting; known: stashedCommandsMax, '],
  [{ onPersistFailure: null }, 'onPersistFailure must be SupervisorStrategy.restartWithBackoff(…)'],
  [{ comandHandler: () => 0 }, '`comandHandler` is not an option; did you mean `commandHandler`?'],
]

test.each(wrong)('%o is refused', (slip, problem) => {
  const { message, problems } = refusalOf(() => make({ ...whole, ...slip }))
  expect(message).toContain("The options of EventSourcedBehavior for 'Cart|1' cannot be used:")
  expect(problems).toEqual([expect.stringContaining(problem)])
  const ofAll = refusalOf(() => new EventSourcedFamily({ ...common, ...slip }))
  expect(ofAll.message).toContain('The options of EventSourcedFamily cannot be used:')
  expect(ofAll.problems).toHaveLength(1)
})

test('every problem is told at once', () => {
  expect(
    refusalOf(() => make({ retentoin: 5, settings: { stashedCommandsMax: 0 } })).problems,
  ).toEqual([
    'persistenceId cannot be used: it is not a string',
    'commandHandler must be a function, not undefined',
    'eventHandler must be a function, not undefined',
    'journal must be given: the one that all nodes share',
    'stashedCommandsMax must be a whole number of at least 1, not 0',
    '`retentoin` is not an option; did you mean `retention`?',
    'emptyState must be given: the state before anything was stored',
  ])
  expect(refusalOf(() => make(undefined)).problems).toEqual([
    'they must be an object, not undefined',
  ])
})

test('an id that cannot be used has an error of its own, and undefined is left out', () => {
  expect(() => make({ ...whole, persistenceId: '' })).toThrow(InvalidPersistenceId)
  const nothing = { codec: undefined, signals: { PostStop: undefined }, writer: undefined }
  const rest = { refused: undefined, settings: undefined, onPersistFailure: undefined }
  expect(() => make({ ...whole, ...nothing, ...rest, emptyState: undefined })).not.toThrow()
})
