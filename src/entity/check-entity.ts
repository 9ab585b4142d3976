/** The look at how an entity is described, before it is one. Without types, it may be anything. */
import { type Duration, toMs } from '../foundation/duration.ts'
import {
  type Check,
  InvalidSettings,
  maybe,
  mustBe,
  mustBeFunction,
  mustHave,
  problemsWithOptions,
  problemsWithText,
} from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { type NotYet, refuseNotYet } from '../foundation/not-there-yet.ts'
import { show } from '../foundation/show.ts'
import { problemWithId } from '../foundation/text.ts'
import { unknownSettings } from '../foundation/unknown-names.ts'
import { problemWithTags } from '../persistence/internals.ts'
import {
  notYetInSharding,
  problemsWithPassivation,
  shardDutyChecks,
} from '../sharding/internals.ts'
import type { DurableEntitySpec, EntityOptions } from './define-entity.ts'
import { notCommands } from './entity-handle.ts'
import { placesOfOthers } from './misplaced-options.ts'
import { problemsOfStoring, storingChecks } from './storing-options.ts'

/** Of a definition. Throws `NotThereYet`, or `InvalidSettings` with every problem. */
export function checkEntity(name: unknown, spec: unknown): void {
  const what = `The entity ${show(name)}`
  if (!isRecord(spec)) throw new InvalidSettings(what, problemsWithout(name))
  refuseNotYet(spec, notYetInEntities)
  const problems = [
    ...problemsWithName(name),
    ...problemsWithOptions(spec, checks, placesOfOthers),
    ...problemsOfEvents(spec),
    ...problemsOfStoring(spec),
    ...problemsOfResting(spec),
  ]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
}

/** Of what a caller knows. Throws as `checkEntity`. */
export function checkEntityType(name: unknown, options: unknown): void {
  const what = `The entity type ${show(name)}`
  if (!isRecord(options)) {
    throw new InvalidSettings(what, [`its options must be an object, not ${show(options)}`])
  }
  refuseNotYet(options, notYetInEntities)
  const problems = [
    ...problemsWithName(name),
    ...problemsWithOptions(options, agreedChecks, placesOfTypes),
  ]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
}

/** Of what an entity passes on to sharding. */
export const notYetInEntities: NotYet = notYetInSharding

const agreedChecks = {
  role: problemsWithText,
  coordinatorRole: problemsWithText,
  numberOfShards: maybe(
    mustBe(
      'a whole number of at least 1',
      (given) => Number.isSafeInteger(given) && (given as number) > 0,
    ),
  ),
  passivateAfter: maybe(problemsWithIdleTime),
} satisfies Record<keyof EntityOptions, Check>

const checks = {
  state: problemsWithState,
  events: maybe(problemsWithEvents),
  commands: problemsWithFunctions,
  ...agreedChecks,
  tags: maybe(problemsWithTags),
  upcast: maybe(problemsWithUpcasters),
  unknownEvents: maybe(
    mustBe("'refuse' or 'read-only'", (given) => given === 'refuse' || given === 'read-only'),
  ),
  eventAdapter: mustHave(['toJournal', 'fromJournal']),
  ...storingChecks,
  allocationStrategy: mustHave(['allocateShard', 'rebalance']),
  passivation: problemsWithPassivation,
  ...shardDutyChecks,
} satisfies Record<keyof DurableEntitySpec<never, never, never>, Check>

/** Every option of `defineEntity`, for whoever is given one of them by mistake. */
export const optionsOfEntities: readonly string[] = Object.keys(checks)

const placesOfTypes: ReadonlyMap<string, string> = new Map([
  ...placesOfOthers,
  ...optionsOfEntities.map((name) => [name, 'belongs to defineEntity, not to entityType'] as const),
])

/** Stands in paths and in persistence ids. */
const nameForm = /^[A-Za-z][\w.-]*$/
const nameBytesMax = 128

/** Names that mean something to every object: a handle could not be awaited, compared or printed. */
const takenNames: ReadonlySet<string> = new Set([
  ...notCommands,
  'constructor',
  '__proto__',
  'prototype',
  'toString',
])

/** Of a definition with nothing in it; by mistake, the name may be missing as well. */
function problemsWithout(name: unknown): string[] {
  return [
    ...problemsWithName(name),
    'it needs an object that describes it: defineEntity(name, { state: () => ({ count: 0 }), commands: { … } })',
  ]
}

function problemsWithName(name: unknown): string[] {
  const problem = problemWithId(name, nameBytesMax)
  if (problem !== undefined) return [`its name cannot be used: ${problem}`]
  return nameForm.test(name as string)
    ? []
    : ['its name must begin with a letter and have only letters, digits, ".", "_" and "-"']
}

function problemsWithState(name: string, given: unknown): string[] {
  if (isAsync(given)) return [`${name} must not be async: it is the state before the first call`]
  return mustBe('a function that makes the state', isFunction)(name, given)
}

function problemsWithFunctions(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object of functions, not ${show(given)}`]
  return Object.entries(given).flatMap(([each, value]) => [
    ...mustBeFunction(`${name}.${each}`, value),
    ...(takenNames.has(each)
      ? [
          `${name}.${each} needs another name: JavaScript itself looks for ${show(each)} in objects, as when they are awaited, compared or printed`,
        ]
      : []),
  ])
}

function problemsWithEvents(name: string, given: unknown): string[] {
  const asyncs = Object.entries(isRecord(given) ? given : {}).filter(([, value]) => isAsync(value))
  return [
    ...problemsWithFunctions(name, given),
    ...asyncs.map(
      ([each]) => `${name}.${each} must not be async: do in a command what has to be awaited`,
    ),
  ]
}

function problemsWithUpcasters(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object of functions, not ${show(given)}`]
  return Object.entries(given).flatMap(([event, value]) => [
    ...mustBeFunction(`${name}.${event}`, value),
    ...(isAsync(value) ? [`${name}.${event} must not be async: recovery waits for nobody`] : []),
  ])
}

function problemsWithTags(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be an object, not ${show(given)}`]
  return Object.entries(given).flatMap(([event, tags]) => {
    if (typeof tags === 'function' && !isAsync(tags)) return []
    const problem = Array.isArray(tags) ? problemWithTags(tags) : undefined
    if (problem !== undefined) return [`${name}.${event} cannot be used: ${problem}`]
    return mustBe('a list of texts, or a function that makes one', Array.isArray)(
      `${name}.${event}`,
      tags,
    )
  })
}

/** What is said of events there must be events for. */
function problemsOfEvents({
  events,
  tags,
  upcast,
  unknownEvents,
  eventAdapter,
}: Readonly<Record<string, unknown>>): string[] {
  if (isRecord(events)) {
    return isRecord(tags) ? unknownSettings(tags, events, 'an event', 'tags.') : []
  }
  const orphans = Object.entries({ tags, upcast, unknownEvents, eventAdapter }).filter(
    ([, value]) => value !== undefined,
  )
  return events === undefined
    ? orphans.map(([name]) => `${name} is about events, and there are none: define \`events\``)
    : []
}

function problemsOfResting({
  passivateAfter,
  passivation,
}: Readonly<Record<string, unknown>>): string[] {
  if (passivateAfter === undefined) return []
  if (passivation === 'off')
    return ["passivation is 'off', so passivateAfter can mean nothing: leave one out"]
  return isRecord(passivation) && passivation['idleAfterMs'] !== undefined
    ? ['passivateAfter and passivation.idleAfterMs say the same: leave one out']
    : []
}

function problemsWithIdleTime(name: string, given: unknown): string[] {
  if (given === 'never') return []
  try {
    return toMs(given as Duration, name) > 0 ? [] : [`${name} must be longer than 0`]
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

function isFunction(given: unknown): boolean {
  return typeof given === 'function'
}

/** As far as it shows: what is compiled to something older gives itself away when it runs. */
function isAsync(given: unknown): boolean {
  return Object.prototype.toString.call(given) === '[object AsyncFunction]'
}
