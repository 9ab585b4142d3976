/** The look at how an event-sourced actor is described, before it starts. Without types, it may be anything. */
import { problemsWithPort } from '../../foundation/environment.ts'
import {
  InvalidSettings,
  problemsWithObject,
  problemsWithText,
  unknownSettings,
} from '../../foundation/invalid-settings.ts'
import { refuseNotYet } from '../../foundation/not-there-yet.ts'
import { show } from '../../foundation/show.ts'
import { problemWithPersistenceId } from '../persistence-id.ts'
import { problemsWithEncoding } from './event-adapter.ts'
import type {
  EventSourcedFamilyOptions,
  EventSourcedOptions,
  EventSourcedSignal,
} from './event-sourced-options.ts'
import { defaultEventSourcedSettings, problemsWithEventSourced } from './event-sourced-settings.ts'

const knownInFamily = {
  commandHandler: true,
  eventHandler: true,
  eventAdapter: true,
  tagger: true,
  signals: true,
  refused: true,
  journal: true,
  codec: true,
  settings: true,
  recoveryPermits: true,
  writer: true,
  onPersistFailure: true,
} satisfies Record<keyof EventSourcedFamilyOptions<never, never, never>, true>

const knownAlone = {
  persistenceId: true,
  emptyState: true,
  ...knownInFamily,
} satisfies Record<keyof EventSourcedOptions<never, never, never>, true>

const knownSignals = {
  PostStop: true,
  PreRestart: true,
  Terminated: true,
  ChildFailed: true,
  MessageAdaptionFailure: true,
  RecoveryCompleted: true,
  RecoveryFailed: true,
} satisfies Record<EventSourcedSignal['type'], true>

const keepShort = 'Every event is read when an entity starts: keep streams short.'

/** What people will look for, and what to do until it is there. */
const notYet: Readonly<Record<string, string>> = {
  retention: keepShort,
  snapshots: keepShort,
  snapshotWhen: keepShort,
  snapshotEvery: keepShort,
  snapshotAdapter: keepShort,
}

type Given = { readonly [Name in keyof typeof knownAlone]?: unknown }

/** Of one actor. Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkEventSourced(options: unknown): void {
  const what = 'The options of EventSourcedBehavior'
  const problems = problemsWithOptions(options, what, knownAlone)
  const { persistenceId } = options as Given
  if (!('emptyState' in (options as Given))) {
    problems.push('emptyState must be given: the state before the first event')
  }
  if (problems.length === 0) return
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
  const problems = problemsWithOptions(options, what, knownInFamily)
  if (problems.length > 0) throw new InvalidSettings(what, problems)
}

function problemsWithOptions(options: unknown, what: string, known: object): string[] {
  if (!isObject(options)) {
    throw new InvalidSettings(what, [`they must be an object, not ${show(options)}`])
  }
  const { eventAdapter, tagger, signals, settings, onPersistFailure, codec, writer } = options
  refuseNotYet(options, notYet)
  if (isObject(settings)) refuseNotYet(settings, notYet, 'settings.')
  const chosen = isObject(settings) ? settings : {}
  const problems = [
    ...problemsWithHandlers(options),
    ...problemsWithEncoding(eventAdapter, tagger),
    ...problemsWithSignals(signals),
    ...problemsWithJournal(options.journal),
    ...problemsWithPort('codec', codec, ['encode', 'decode']),
    ...problemsWithPort('recoveryPermits', options.recoveryPermits, ['request']),
    ...problemsWithText('writer', writer),
    ...problemsWithObject('settings', settings),
    ...problemsWithEventSourced({ ...defaultEventSourcedSettings, ...chosen }),
    ...unknownSettings(options, known, 'an option'),
  ]
  const isBackoff = isObject(onPersistFailure) && onPersistFailure['type'] === 'backoff'
  if (onPersistFailure !== undefined && !isBackoff) {
    problems.push('onPersistFailure must be SupervisorStrategy.restartWithBackoff(…)')
  }
  return problems
}

function problemsWithHandlers({ commandHandler, eventHandler, refused }: Given): string[] {
  const handlers = { commandHandler, eventHandler, ...(refused !== undefined && { refused }) }
  return Object.entries(handlers)
    .filter(([, given]) => typeof given !== 'function')
    .map(([name, given]) => `${name} must be a function, not ${show(given)}`)
}

function problemsWithSignals(signals: unknown): string[] {
  if (!isObject(signals)) return problemsWithObject('signals', signals)
  const noFunctions = Object.entries(signals)
    .filter(([, handler]) => handler !== undefined && typeof handler !== 'function')
    .map(([name, handler]) => `signals.${name} must be a function, not ${show(handler)}`)
  return [...unknownSettings(signals, knownSignals, 'a signal'), ...noFunctions]
}

function problemsWithJournal(journal: unknown): string[] {
  return journal === undefined
    ? ['journal must be given: the one that all nodes share']
    : problemsWithPort('journal', journal, ['claim', 'append', 'read'])
}

function isObject(given: unknown): given is Given & Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null
}
