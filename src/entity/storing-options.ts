/** How the state of an entity is kept, as its definition says it: snapshots, versions, schemas. The look at that, and its defaults. */
import { type Check, maybe, mustBe, mustBeFunction } from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'
import { unknownSettings } from '../foundation/unknown-names.ts'
import { problemsWithSchema } from '../persistence/internals.ts'
import type { AnyEntity } from './define-entity.ts'

/** Those of a definition, without looking into its types. */
export type StoringOptions = {
  readonly [Name in (typeof names)[number]]?: AnyEntity[Name] | undefined
}

const names = [
  ...(['snapshots', 'snapshotVersion', 'upcastSnapshot'] as const),
  ...(['schema', 'stateVersion', 'upcastState'] as const),
] as const

const wholeFrom1 = mustBe(
  'a whole number of at least 1',
  (given) => Number.isSafeInteger(given) && (given as number) > 0,
)
const version = mustBe(
  'a whole number',
  (given) => Number.isSafeInteger(given) && (given as number) >= 0,
)
const isBoolean = mustBe('true or false', (given) => typeof given === 'boolean')

export const storingChecks = {
  snapshots: maybe(problemsWithSnapshots),
  snapshotVersion: maybe(version),
  upcastSnapshot: maybe(mustBeFunction),
  schema: maybe(problemsWithSchemas),
  durable: maybe(isBoolean),
  stateVersion: maybe(version),
  upcastState: maybe(mustBeFunction),
} satisfies Record<(typeof names)[number] | 'durable', Check>

/** Those that were given. */
export function storingOptionsOf(spec: StoringOptions): Partial<AnyEntity> {
  const given = names.filter((name) => spec[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, spec[name]]))
}

/** What belongs to events, what to a durable state, and what goes together. */
export function problemsOfStoring(given: Readonly<Record<string, unknown>>): string[] {
  const { events, durable, snapshots, schema } = given
  const orphans = (orphaned: readonly string[], text: string): string[] =>
    orphaned.filter((name) => given[name] !== undefined).map((name) => `${name} ${text}`)
  const deletes = isRecord(snapshots) && snapshots['deleteEvents'] === true
  const ofEvents = isRecord(schema) && isRecord(schema['events']) ? schema['events'] : {}
  return [
    ...(durable === true && events !== undefined
      ? [
          'durable stores the state itself, and events make it: leave out one of them; with `events` the state is durable already',
        ]
      : []),
    ...(events === undefined
      ? orphans(
          ['snapshots', 'snapshotVersion', 'upcastSnapshot'],
          'is about events, and there are none: define `events`',
        )
      : []),
    ...(durable === true
      ? []
      : orphans(['stateVersion', 'upcastState'], 'is for an entity with `durable: true`')),
    ...(events === undefined && durable !== true
      ? orphans(['schema'], 'is about what is stored: define `events`, or set `durable: true`')
      : []),
    ...unknownSettings(ofEvents, isRecord(events) ? events : {}, 'an event', 'schema.events.'),
    ...(given['upcastSnapshot'] !== undefined && given['snapshotVersion'] === undefined
      ? ['upcastSnapshot needs a snapshotVersion: it makes a state of this one of lower ones']
      : []),
    ...(deletes && given['snapshotVersion'] === undefined
      ? [
          'snapshots.deleteEvents needs a snapshotVersion: once events are gone, only you can say what a state of another version is now',
        ]
      : []),
  ]
}

function problemsWithSnapshots(name: string, given: unknown): string[] {
  if (given === false) return []
  if (!isRecord(given))
    return [`${name} must be { every: 100, keep: 2 } or false, not ${show(given)}`]
  return problemsInside(name, given, {
    ...{ every: maybe(wholeFrom1), keep: maybe(wholeFrom1), deleteEvents: maybe(isBoolean) },
  })
}

function problemsWithSchemas(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be { events: { … }, state }, not ${show(given)}`]
  return problemsInside(name, given, {
    state: problemsWithSchema,
    events: maybe((each, schemas) =>
      isRecord(schemas)
        ? Object.entries(schemas).flatMap(([event, schema]) =>
            problemsWithSchema(`${each}.${event}`, schema),
          )
        : [`${each} must be an object of schemas, not ${show(schemas)}`],
    ),
  })
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
