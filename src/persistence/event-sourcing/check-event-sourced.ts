/** The look at how an event-sourced actor is described, before it starts. Without types, it may be anything. */
import {
  anything,
  type Check,
  InvalidSettings,
  maybe,
  mustBe,
  mustBeFunction,
  mustHave,
  problemsWithOptions,
  problemsWithText,
} from '../../foundation/invalid-settings.ts'
import { isObject, isRecord } from '../../foundation/is-object.ts'
import { type NotYet, refuseNotYet, within } from '../../foundation/not-there-yet.ts'
import { show } from '../../foundation/show.ts'
import { unknownSettings } from '../../foundation/unknown-names.ts'
import { problemWithPersistenceId } from '../persistence-id.ts'
import type {
  EventSourcedFamilyOptions,
  EventSourcedOptions,
  EventSourcedSignal,
} from './event-sourced-options.ts'
import { eventSourcedSettingsTable } from './event-sourced-settings.ts'

const keepShort = 'Every event is read when an entity starts: keep streams short.'

/** Of entities whose state is made of events. */
export const notYetInEventSourcing: NotYet = {
  retention: keepShort,
  snapshots: keepShort,
  snapshotWhen: keepShort,
  snapshotEvery: keepShort,
  snapshotAdapter: keepShort,
}

const notYet: NotYet = {
  ...notYetInEventSourcing,
  ...within('settings', notYetInEventSourcing),
}

const signals = {
  PostStop: maybe(mustBeFunction),
  PreRestart: maybe(mustBeFunction),
  Terminated: maybe(mustBeFunction),
  ChildFailed: maybe(mustBeFunction),
  MessageAdaptionFailure: maybe(mustBeFunction),
  RecoveryCompleted: maybe(mustBeFunction),
  RecoveryFailed: maybe(mustBeFunction),
} satisfies Record<EventSourcedSignal['type'], Check>

const inFamily = {
  commandHandler: mustBeFunction,
  eventHandler: mustBeFunction,
  eventAdapter: mustHave(['toJournal', 'fromJournal']),
  tagger: maybe(mustBeFunction),
  signals: maybe(problemsWithSignals),
  refused: maybe(mustBeFunction),
  journal: (name, given) =>
    given === undefined
      ? [`${name} must be given: the one that all nodes share`]
      : mustHave(['claim', 'append', 'read'])(name, given),
  codec: mustHave(['encode', 'decode']),
  settings: (_, given) =>
    eventSourcedSettingsTable.problemsWith(eventSourcedSettingsTable.complete(given)),
  recoveryPermits: mustHave(['request']),
  writer: problemsWithText,
  onPersistFailure: maybe(
    mustBe(
      'SupervisorStrategy.restartWithBackoff(…)',
      (given) => isObject(given) && given['type'] === 'backoff',
    ),
  ),
} satisfies Record<keyof EventSourcedFamilyOptions<never, never, never>, Check>

const alone = {
  // Has an error of its own when nothing else is wrong.
  persistenceId: anything,
  emptyState: anything,
  ...inFamily,
} satisfies Record<keyof EventSourcedOptions<never, never, never>, Check>

/** Of one actor. Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkEventSourced(options: unknown): void {
  const what = 'The options of EventSourcedBehavior'
  const given = checkedObject(options, what)
  const problems = problemsWithOptions(given, alone)
  if (!('emptyState' in given)) {
    problems.push('emptyState must be given: the state before the first event')
  }
  if (problems.length === 0) return
  const { persistenceId } = given
  const problem = problemWithPersistenceId(persistenceId)
  if (problem !== undefined) problems.unshift(`persistenceId cannot be used: ${problem}`)
  throw new InvalidSettings(
    typeof persistenceId === 'string' ? `${what} for ${show(persistenceId)}` : what,
    problems,
  )
}

/** Of what many actors have in common. Throws as `checkEventSourced`. */
export function checkEventSourcedFamily(options: unknown): void {
  const what = 'The options of EventSourcedFamily'
  const problems = problemsWithOptions(checkedObject(options, what), inFamily)
  if (problems.length > 0) throw new InvalidSettings(what, problems)
}

function checkedObject(options: unknown, what: string): { readonly persistenceId?: unknown } {
  if (!isRecord(options)) {
    throw new InvalidSettings(what, [`they must be an object, not ${show(options)}`])
  }
  refuseNotYet(options, notYet)
  return options
}

function problemsWithSignals(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object, not ${show(given)}`]
  return [
    ...unknownSettings(given, signals, 'a signal', `${name}.`),
    ...Object.entries(signals).flatMap(([each, check]) => check(`${name}.${each}`, given[each])),
  ]
}
