/**
 * Checks of values by the schemas of any library that follows Standard Schema (https://standardschema.dev), whose interface is
 * written out here. A schema only looks: what it would make of a value is not used, since stored is what handlers have seen.
 */
import { CodedError } from '../../foundation/coded-error.ts'
import { isObject } from '../../foundation/is-object.ts'
import { show } from '../../foundation/show.ts'

export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema that gives promises: a value is checked at once, or not at all. */
export class AsyncSchema extends CodedError {
  readonly code = 'ASYNC_SCHEMA'

  constructor(what: string, vendor: string) {
    super(
      `The schema (${vendor}) of ${what} is async, and nothing here waits for a check. Check in a command what has to be awaited, and give a schema that answers at once.`,
    )
  }
}

/** What was to be stored, or to be the state, is not what its schema says. Nothing was stored. */
export class RefusedBySchema extends CodedError {
  readonly code = 'REFUSED_BY_SCHEMA'

  constructor(what: string, problems: string) {
    super(`${what} is refused by its schema: ${problems}. Nothing was stored.`)
  }
}

/** What is wrong with the value, in one line; undefined when nothing is. Throws `AsyncSchema`. */
export function problemsBySchema(
  schema: StandardSchema | undefined,
  value: unknown,
  what: string,
): string | undefined {
  if (schema === undefined) return undefined
  const { validate, vendor } = schema['~standard']
  const result = validate(value)
  if (result instanceof Promise) {
    result.catch(() => undefined)
    throw new AsyncSchema(what, vendor)
  }
  return result.issues === undefined ? undefined : result.issues.map(inWords).join('; ')
}

/** Throws `RefusedBySchema` and `AsyncSchema`. */
export function checkBySchema(
  schema: StandardSchema | undefined,
  value: unknown,
  what: string,
): void {
  const problems = problemsBySchema(schema, value, what)
  if (problems !== undefined) throw new RefusedBySchema(what, problems)
}

/** Of an option that may be left out. */
export function problemsWithSchema(name: string, given: unknown): string[] {
  if (given === undefined) return []
  const standard = isObject(given) || typeof given === 'function' ? given : {}
  const inner = (standard as Readonly<Record<string, unknown>>)['~standard']
  return isObject(inner) && typeof inner['validate'] === 'function'
    ? []
    : [`${name} must be a schema of a library that follows Standard Schema, not ${show(given)}`]
}

function inWords({ message, path = [] }: StandardIssue): string {
  const place = path.map((each) => String(typeof each === 'object' ? each.key : each)).join('.')
  return place === '' ? message : `${place}: ${message}`
}
