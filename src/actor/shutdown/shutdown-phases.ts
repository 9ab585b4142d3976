/**
 * The steps in which a system shuts down, as data: which phase comes after which, how long each may take, and what
 * happens when it fails. The default phases stand in one straight line. Whatever else runs on the system puts phases of
 * its own between them, and so may users.
 */
import { seconds } from '../../foundation/duration.ts'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { show } from '../../foundation/show.ts'
import { isRecord } from '../../foundation/is-object.ts'
import { unknownSettings } from '../../foundation/unknown-names.ts'

/** One step of the shutdown: when it comes, how long it may take, and what happens when it fails. */
export interface ShutdownPhase {
  /** Phases that come before this one. */
  readonly dependsOn: readonly string[]
  /** Phases that come after this one without saying so themselves. */
  readonly before?: readonly string[]
  /** How long the tasks of the phase may take together; after it the phase has failed, and the tasks are left alone. */
  readonly timeoutMs: number
  /** True: a failure or timeout is logged and the next phase begins. False: it ends the shutdown, unfinished. */
  readonly recover: boolean
  /** False: the phase is passed over and its tasks do not run. */
  readonly enabled: boolean
}

/** All steps, by name. */
export type ShutdownPhases = Readonly<Record<string, ShutdownPhase>>

/** The phases that every system has when it is not told otherwise. */
export const defaultShutdownPhases = {
  'before-service-unbind': phase([]),
  'service-unbind': phase(['before-service-unbind']),
  'service-requests-done': phase(['service-unbind']),
  'service-stop': phase(['service-requests-done']),
  'before-actor-system-terminate': phase(['service-stop']),
  'actor-system-terminate': phase(['before-actor-system-terminate'], { timeoutMs: seconds(10) }),
} as const satisfies ShutdownPhases

/** A default phase, or the name of one that was added. */
export type ShutdownPhaseName = keyof typeof defaultShutdownPhases | (string & NonNullable<unknown>)

/**
 * The names so that each stands behind all it depends on, otherwise as they were given. Throws `InvalidSettings`
 * when there is no such order.
 */
export function topologicalOrder(phases: ShutdownPhases): string[] {
  const { order, problems } = sort(phases)
  if (problems.length > 0) throw new InvalidSettings('The phases of the shutdown', problems)
  return order
}

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithShutdownPhases(phases: unknown): string[] {
  if (!isRecord(phases)) return [`shutdownPhases must be an object, not ${show(phases)}`]
  const problems = Object.entries(phases).flatMap(([name, each]) => problemsWithPhase(name, each))
  const areListsWhole = Object.values(phases).every((each) => {
    const { dependsOn, before = [] } = isRecord(each) ? each : {}
    return Array.isArray(dependsOn) && Array.isArray(before)
  })
  return areListsWhole ? [...problems, ...sort(phases as ShutdownPhases).problems] : problems
}

const knownFields = { dependsOn: 1, before: 1, timeoutMs: 1, recover: 1, enabled: 1 }

function problemsWithPhase(name: string, given: unknown): string[] {
  if (!isRecord(given)) {
    const fields = Object.keys(knownFields).join(', ')
    return [`${name} must be an object with ${fields}, not ${show(given)}`]
  }
  const { dependsOn, before = [], timeoutMs, recover, enabled } = given
  const problems = unknownSettings(given, knownFields, 'a setting', `${name}.`)
  if (name === '') problems.push('the name of a phase has at least one character')
  if (!Array.isArray(dependsOn)) {
    problems.push(`${name}.dependsOn must be a list of phases, not ${show(dependsOn)}`)
  }
  if (!Array.isArray(before)) {
    problems.push(`${name}.before must be a list of phases, not ${show(before)}`)
  }
  if (!(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs < Infinity)) {
    problems.push(`${name}.timeoutMs must be a positive number, not ${show(timeoutMs)}`)
  }
  if (typeof recover !== 'boolean') {
    problems.push(`${name}.recover must be true or false, not ${show(recover)}`)
  }
  if (typeof enabled !== 'boolean') {
    problems.push(`${name}.enabled must be true or false, not ${show(enabled)}`)
  }
  return problems
}

/** A phase as most are: behind these, five seconds, and the shutdown goes on when it fails. */
export function phase(
  dependsOn: readonly string[],
  others: Partial<ShutdownPhase> = {},
): ShutdownPhase {
  return { dependsOn, timeoutMs: seconds(5), recover: true, enabled: true, ...others }
}

/** Walks to the roots first; `trail` is the way down to the phase being visited. */
function sort(phases: ShutdownPhases): { order: string[]; problems: string[] } {
  const placed = new Set<string>()
  const problems: string[] = []
  const trail: string[] = []

  const visit = (name: string): void => {
    if (placed.has(name)) return
    const start = trail.indexOf(name)
    if (start >= 0) {
      problems.push(`phases depend on each other: ${[...trail.slice(start), name].join(' -> ')}`)
      return
    }
    trail.push(name)
    for (const dependency of phases[name]?.dependsOn ?? []) {
      if (Object.hasOwn(phases, dependency)) visit(dependency)
      else problems.push(`phase ${name} depends on ${show(dependency)}, which is not a phase`)
    }
    for (const [other, { before }] of Object.entries(phases)) {
      if (before?.includes(name) === true) visit(other)
    }
    trail.pop()
    placed.add(name)
  }

  for (const [name, { before = [] }] of Object.entries(phases)) {
    visit(name)
    for (const other of before) {
      if (Object.hasOwn(phases, other)) continue
      problems.push(`phase ${name} comes before ${show(other)}, which is not a phase`)
    }
  }
  return { order: [...placed], problems }
}
