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
import { show } from '../../foundation/show.ts'
import { unknownSettings } from '../../foundation/unknown-names.ts'
import { deletesEvents } from '../event-deletion.ts'
import type { Journal } from '../journal.ts'
import { keepsStates } from '../durable-states.ts'
import { problemWithPersistenceId } from '../persistence-id.ts'
import { hasSnapshots } from '../snapshots.ts'
import type {
  EventSourcedFamilyOptions,
  EventSourcedOptions,
  EventSourcedSignal,
} from './event-sourced-options.ts'
import { eventSourcedSettingsTable } from './event-sourced-settings.ts'
import { problemsWithSchema } from './standard-schema.ts'

const wholeFrom1 = mustBe(
  'a whole number of at least 1',
  (given) => Number.isSafeInteger(given) && (given as number) > 0,
)

const snapshotChecks = {
  retention: maybe(problemsWithRetention),
  snapshotWhen: maybe(mustBeFunction),
  maySnapshot: maybe(mustBeFunction),
  snapshotAdapter: mustHave(['toJournal', 'fromJournal']),
  snapshotVersion: maybe(
    mustBe('a whole number', (given) => Number.isSafeInteger(given) && (given as number) >= 0),
  ),
  upcastSnapshot: maybe(mustBeFunction),
  recovery: maybe(problemsWithRecovery),
  schemas: maybe(problemsWithSchemas),
} satisfies Record<string, Check>

const signals = {
  PostStop: maybe(mustBeFunction),
  PreRestart: maybe(mustBeFunction),
  Terminated: maybe(mustBeFunction),
  ChildFailed: maybe(mustBeFunction),
  MessageAdaptionFailure: maybe(mustBeFunction),
  RecoveryCompleted: maybe(mustBeFunction),
  RecoveryFailed: maybe(mustBeFunction),
  PersistFailed: maybe(mustBeFunction),
  PersistRejected: maybe(mustBeFunction),
  SnapshotSaved: maybe(mustBeFunction),
  SnapshotFailed: maybe(mustBeFunction),
  EventsDeleted: maybe(mustBeFunction),
  EventDeletionFailed: maybe(mustBeFunction),
  SnapshotsDeleted: maybe(mustBeFunction),
  SnapshotDeletionFailed: maybe(mustBeFunction),
} satisfies Record<EventSourcedSignal['type'], Check>

const inFamily = {
  commandHandler: mustBeFunction,
  eventHandler: mustBeFunction,
  eventAdapter: mustHave(['toJournal', 'fromJournal']),
  tagger: maybe(mustBeFunction),
  signals: maybe(problemsWithSignals),
  ...snapshotChecks,
  refused: maybe(mustBeFunction),
  journal: (name, given) =>
    given === undefined
      ? [`${name} must be given: the one that all nodes share`]
      : mustHave(['claim', 'append', 'read'])(name, given),
  codec: mustHave(['encode', 'decode']),
  settings: (_, given) =>
    eventSourcedSettingsTable.problemsWith(eventSourcedSettingsTable.complete(given)),
  onStashOverflow: maybe(
    mustBe("'drop' or 'fail'", (given) => given === 'drop' || given === 'fail'),
  ),
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

/** What people look for here under another name. */
const places: ReadonlyMap<string, string> = new Map(
  ['snapshots', 'snapshotEvery', 'keepSnapshots', 'deleteEvents'].map(
    (name) => [name, 'is `retention: { snapshotEvery: 100, keepSnapshots: 2 }` here'] as const,
  ),
)

const ofStates = {
  persistenceId: anything,
  emptyState: anything,
  commandHandler: mustBeFunction,
  signals: maybe(problemsWithSignals),
  refused: maybe(mustBeFunction),
  journal: (name, given) =>
    inFamily
      .journal(name, given)
      .concat(
        isObject(given) && !keepsStates(given as unknown as Journal)
          ? [`${name} keeps no states, and a durable state needs one that does`]
          : [],
      ),
  codec: inFamily.codec,
  settings: inFamily.settings,
  onStashOverflow: inFamily.onStashOverflow,
  recoveryPermits: inFamily.recoveryPermits,
  writer: inFamily.writer,
  onPersistFailure: inFamily.onPersistFailure,
  stateAdapter: inFamily.snapshotAdapter,
  stateVersion: inFamily.snapshotVersion,
  upcastState: maybe(mustBeFunction),
  schemas: maybe((name, given) =>
    isRecord(given)
      ? problemsInside(name, given, { state: problemsWithSchema })
      : [`${name} must be an object, not ${show(given)}`],
  ),
} satisfies Record<string, Check>

/** Of one actor. Throws `InvalidSettings` with every problem. */
export function checkEventSourced(options: unknown): void {
  const what = 'The options of EventSourcedBehavior'
  checkAlone(what, checkedObject(options, what), alone)
}

/** Of one actor whose state is stored. Throws `InvalidSettings` with every problem. */
export function checkDurableState(options: unknown): void {
  const what = 'The options of DurableStateBehavior'
  checkAlone(what, checkedObject(options, what), ofStates)
}

function checkAlone(
  what: string,
  given: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
): void {
  const problems = [...problemsWithOptions(given, checks, places), ...problemsWithStore(given)]
  if (!('emptyState' in given)) {
    problems.push('emptyState must be given: the state before anything was stored')
  }
  if (problems.length === 0) return
  const { persistenceId } = given as { readonly persistenceId?: unknown }
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
  const given = checkedObject(options, what)
  const problems = [...problemsWithOptions(given, inFamily, places), ...problemsWithStore(given)]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
}

function checkedObject(options: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isRecord(options)) {
    throw new InvalidSettings(what, [`they must be an object, not ${show(options)}`])
  }
  return options
}

function problemsWithSignals(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object, not ${show(given)}`]
  return [
    ...unknownSettings(given, signals, 'a signal', `${name}.`),
    ...Object.entries(signals).flatMap(([each, check]) => check(`${name}.${each}`, given[each])),
  ]
}

/** What is asked for and the journal cannot do. */
function problemsWithStore(given: Readonly<Record<string, unknown>>): string[] {
  const { journal, retention, snapshotWhen } = given
  if (!isObject(journal)) return []
  const store = journal as unknown as Journal
  const names = Object.entries({ retention, snapshotWhen }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  if (names.length > 0 && !hasSnapshots(store)) {
    return [`${names.join(' and ')} need a journal that keeps snapshots, and this one does not`]
  }
  const deletes = isRecord(retention) && retention['deleteEvents'] === true
  return deletes && !deletesEvents(store)
    ? ['retention.deleteEvents needs a journal that deletes events, and this one does not']
    : []
}

const isBoolean = mustBe('true or false', (given) => typeof given === 'boolean')

function problemsWithRetention(name: string, given: unknown): string[] {
  if (!isRecord(given)) {
    return [`${name} must be { snapshotEvery: 100, keepSnapshots: 2 }, not ${show(given)}`]
  }
  return problemsInside(name, given, {
    snapshotEvery: wholeFrom1,
    keepSnapshots: wholeFrom1,
    deleteEvents: maybe(isBoolean),
  })
}

function problemsWithRecovery(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object, not ${show(given)}`]
  return problemsInside(name, given, {
    snapshot: maybe(problemsWithChoice),
    disabled: maybe(isBoolean),
  })
}

function problemsWithChoice(name: string, given: unknown): string[] {
  if (given === 'latest' || given === 'none') return []
  if (!isRecord(given)) {
    return [`${name} must be 'latest', 'none' or { toSequenceNr: … }, not ${show(given)}`]
  }
  return problemsInside(name, given, {
    toSequenceNr: maybe(wholeFrom1),
    savedUntilMs: maybe(wholeFrom1),
  })
}

function problemsWithSchemas(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object, not ${show(given)}`]
  return problemsInside(name, given, { event: problemsWithSchema, state: problemsWithSchema })
}

function problemsInside(
  name: string,
  given: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
): string[] {
  return [
    ...Object.entries(checks).flatMap(([each, check]) => check(`${name}.${each}`, given[each])),
    ...unknownSettings(given, checks, 'an option', `${name}.`),
  ]
}
