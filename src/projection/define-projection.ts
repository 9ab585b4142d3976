/**
 * What a user says of a projection: what it reads, and what it does with each event.
 *
 *   const carts = defineProjection({
 *     name: 'carts',
 *     from: Cart,
 *     handle: async (event) => { if (event.name === 'Added') await list.add(event.id, ...event.args) },
 *   })
 *   const node = await startNode({ entities: [Cart], projections: [carts] })
 */
import {
  type Check,
  InvalidSettings,
  maybe,
  mustBe,
  mustBeFunction,
  mustHave,
  problemsWithOptions,
} from '../foundation/invalid-settings.ts'
import { isRecord } from '../foundation/is-object.ts'
import type { Logger } from '../foundation/logger.ts'
import { show } from '../foundation/show.ts'
import { problemWithId } from '../foundation/text.ts'
import { isDefinition } from '../entity/internals.ts'
import { numberOfSlices } from '../persistence/index.ts'
import { isPostgresUrl, problemWithTags } from '../persistence/internals.ts'
import type { AnyEntityEvent, EntityEvent, ReadableEntity } from './entity-events.ts'
import type { ProjectionDatabase } from './postgres/postgres-offsets.ts'
import type { ProjectionHandlerFailed } from './projection-errors.ts'
import { type ProjectionSettings, projectionSettingsTable } from './projection-settings.ts'

/** What it reads: all events of a definition or of several, or those of them with a tag. */
export type ProjectionSource =
  | ReadableEntity
  | readonly ReadableEntity[]
  | {
      readonly entities: ReadableEntity | readonly ReadableEntity[]
      readonly tag?: string | undefined
    }

/** The events of a source. */
export type EventFrom<Source> = Source extends { readonly entities: infer Entities }
  ? EventFrom<Entities>
  : Source extends readonly (infer Entity)[]
    ? EntityEvent<Entity>
    : EntityEvent<Source>

/** What a handler gets beside the event. */
export interface ProjectionContext {
  /** Fires when the range has to end before the handler has: stop what you do. */
  readonly signal: AbortSignal
  /** Says on every line which projection and range speaks. */
  readonly log: Logger
  /** With `postgres`: the connection whose transaction also stores that this was handled. Without it, using it throws. */
  readonly client: ProjectionClient
}

/** A connection of `pg` within a transaction: do not end that. */
export interface ProjectionClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{
    readonly rows: readonly Record<string, unknown>[]
    readonly rowCount: number | null
  }>
}

export const noClient: ProjectionClient = {
  query() {
    const problem = 'client is there only with `postgres`, which says where your database is'
    throw new InvalidSettings('The projection', [problem])
  },
}

/** `'retry'`: again and again, with growing waits; nothing behind the event in its range is handled meanwhile. */
export type OnFailure =
  | 'retry'
  | {
      /** How often it is tried again before that. */
      readonly retries: number
      /** `'skip'`: the event is left out, and `onSkipped` is told. `'stop'`: the range ends, and the status says so. */
      readonly then: 'skip' | 'stop'
    }

export type OnDeleted = 'tell' | 'stop'

interface CommonOptions<Source, Event> {
  /** Under this name it is stored how far it came: 1 to 100 letters, digits, ".", "_" or "-". */
  readonly name: string
  readonly from: Source
  /** Into how many parts the work is divided, so that as many nodes can share it; 16 when not given. Divides 1024, and cannot change later. */
  readonly ranges?: number | undefined
  /** What happens when the handler fails; `'retry'` when not given. */
  readonly onFailure?: OnFailure | undefined
  /**
   * What happens at a gap: events of an entity with `snapshots.deleteEvents` that were deleted before they were read. `'tell'`
   * when not given: the log and the status say what is missing, as a `ProjectionMissedEvents`, and the range goes on behind it.
   * `'stop'`: the range ends there, and the status says so, until the definition says `'tell'`. With a tag, whose numbers have holes,
   * a gap is noticed only by a range that began with the first event, and no more after it has moved.
   */
  readonly onDeleted?: OnDeleted | undefined
  /** Told of every event that is left out. When it fails itself, the event is not left out but tried again. */
  readonly onSkipped?:
    | ((event: Event | undefined, error: ProjectionHandlerFailed) => unknown)
    | undefined
  /**
   * Your own PostgreSQL: what the handler writes there through `client` happens exactly once, in one transaction with the
   * offset, one for each event or for each batch. The events may be in any store.
   */
  readonly postgres?: ProjectionDatabase | undefined
  readonly settings?: Partial<ProjectionSettings> | undefined
}

export interface OneByOne<Event> {
  /** Called for one event after the other; those of one entity come in their order. May come again for the same event. */
  readonly handle: (event: Event, context: ProjectionContext) => unknown
  readonly handleMany?: undefined
}

export interface InBatches<Event> {
  readonly handle?: undefined
  /** The same for several events at once, in their order. */
  readonly handleMany: (events: readonly Event[], context: ProjectionContext) => unknown
}

export type ProjectionOptions<Source extends ProjectionSource> = CommonOptions<
  Source,
  EventFrom<Source>
> &
  (OneByOne<EventFrom<Source>> | InBatches<EventFrom<Source>>)

/** A projection as `startNode` takes it, checked, and with nothing left open. */
export interface Projection {
  readonly name: string
  readonly entities: readonly ReadableEntity[]
  readonly tag: string | undefined
  readonly ranges: number
  readonly onFailure: OnFailure
  readonly onDeleted: OnDeleted
  readonly onSkipped: (event: AnyEntityEvent | undefined, error: ProjectionHandlerFailed) => unknown
  readonly handle: ((event: AnyEntityEvent, context: ProjectionContext) => unknown) | undefined
  readonly handleMany:
    | ((events: readonly AnyEntityEvent[], context: ProjectionContext) => unknown)
    | undefined
  readonly postgres: ProjectionDatabase | undefined
  readonly settings: ProjectionSettings
}

const rangesByDefault = 16

/** Throws `InvalidSettings` with every problem. */
export function defineProjection<const Source extends ProjectionSource>(
  options: ProjectionOptions<Source>,
): Projection {
  const given: unknown = options
  const what = `The projection ${show(isRecord(given) ? given['name'] : given)}`
  if (!isRecord(given)) throw new InvalidSettings(what, ['it needs { name, from, handle }'])
  const settings = projectionSettingsTable.complete(options.settings)
  const problems = [
    ...problemsWithOptions(options, checks),
    ...problemsWithHandlers(given),
    ...projectionSettingsTable.problemsWith(settings, {}, 'settings.'),
  ]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
  const { name, from, ranges = rangesByDefault, onFailure = 'retry' } = options
  const { handle, handleMany, onSkipped = () => undefined, onDeleted = 'tell' } = options
  return {
    ...{
      name,
      ranges,
      onFailure,
      onDeleted,
      settings,
      postgres: options.postgres,
      ...sourceOf(from),
    },
    // What the events are, the types of the source say; from here on nobody looks into them.
    onSkipped: onSkipped as Projection['onSkipped'],
    handle: handle as Projection['handle'],
    handleMany: handleMany as Projection['handleMany'],
  }
}

/** Whether it is one that was made here, or by another copy of this package. */
export function isProjection(given: unknown): given is Projection {
  if (!isRecord(given)) return false
  const { name, entities, ranges, settings } = given
  const isWhole = Array.isArray(entities) && isRecord(settings)
  return isWhole && typeof name === 'string' && typeof ranges === 'number'
}

function sourceOf(from: ProjectionSource): Pick<Projection, 'entities' | 'tag'> {
  if (isList(from)) return { entities: from, tag: undefined }
  if (!('entities' in from)) return { entities: [from], tag: undefined }
  const { entities, tag } = from
  return { entities: isList(entities) ? entities : [entities], tag }
}

function isList(value: unknown): value is readonly ReadableEntity[] {
  return Array.isArray(value)
}

const nameForm = /^[\w.-]{1,100}$/

const checks = {
  name: mustBe(
    'a text of 1 to 100 letters, digits, ".", "_" or "-"',
    (given) => problemWithId(given, 100) === undefined && nameForm.test(given as string),
  ),
  from: problemsWithSource,
  ranges: maybe(
    mustBe(
      `a whole number that divides ${numberOfSlices}`,
      (given) =>
        Number.isSafeInteger(given) &&
        numberOfSlices % (given as number) === 0 &&
        Number(given) > 0,
    ),
  ),
  onFailure: maybe(mustBe("'retry' or { retries, then: 'skip' | 'stop' }", isOnFailure)),
  onDeleted: maybe(mustBe("'tell' or 'stop'", (given) => given === 'tell' || given === 'stop')),
  onSkipped: maybe(mustBeFunction),
  handle: maybe(mustBeFunction),
  handleMany: maybe(mustBeFunction),
  postgres: maybe(problemsWithDatabase),
  // Looked at with their defaults.
  settings: () => [],
} satisfies Record<string, Check>

function problemsWithHandlers({ handle, handleMany }: Readonly<Record<string, unknown>>): string[] {
  if ((handle === undefined) !== (handleMany === undefined)) return []
  return ['it needs one of handle (one event after the other) and handleMany (in batches)']
}

function problemsWithSource(name: string, given: unknown): string[] {
  const isWhole = isRecord(given) && 'entities' in given
  const { entities, tag } = isWhole ? given : { entities: given, tag: undefined }
  const list: readonly unknown[] = Array.isArray(entities) ? entities : [entities]
  const problem = tag === undefined ? undefined : problemWithTags([tag])
  return [
    ...(list.length === 0 ? [`${name} names no entity`] : []),
    ...list.flatMap((entity) => problemsWithEntity(name, entity)),
    ...(problem === undefined ? [] : [`${name}.tag cannot be used: ${problem}`]),
  ]
}

function problemsWithEntity(name: string, entity: unknown): string[] {
  if (!isRecord(entity) || !isDefinition(entity as never)) {
    return [`${name}: ${show(entity)} is not an entity definition; make it with defineEntity`]
  }
  const { isDurable, keepsState, name: entityType } = entity
  return isDurable === true && keepsState !== true
    ? []
    : [`${name}: ${show(entityType)} has no events that could be read`]
}

function problemsWithDatabase(name: string, given: unknown): string[] {
  if (!isRecord(given)) return [`${name} must be { url } or { pool }, not ${show(given)}`]
  const { url, pool } = given
  const one =
    (url === undefined) === (pool === undefined) ? [`${name} needs one of url and pool`] : []
  return [...one, ...problemsWithOptions(given, databaseChecks).map((each) => `${name}.${each}`)]
}

const databaseChecks = {
  // Not shown: there is a password in it.
  url: (name, given) =>
    given === undefined || isPostgresUrl(given) ? [] : [`${name} must begin with postgres://`],
  pool: mustHave(['connect']),
  connectionsMax: maybe(
    mustBe(
      'a whole number of at least 1',
      (given) => Number.isSafeInteger(given) && Number(given) > 0,
    ),
  ),
  table: maybe(
    mustBe('the name of a table, such as sherd_projections or views.offsets', (given) =>
      /^[A-Za-z_]\w{0,62}(\.[A-Za-z_]\w{0,62})?$/.test(String(given)),
    ),
  ),
} satisfies Record<keyof ProjectionDatabase, Check>

function isOnFailure(given: unknown): boolean {
  if (!isRecord(given)) return given === 'retry'
  const { retries, then } = given
  const isCount = Number.isSafeInteger(retries) && (retries as number) >= 0
  return isCount && (then === 'skip' || then === 'stop')
}
