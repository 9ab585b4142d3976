/**
 * The steps in which a system shuts down, as data: which phase comes after which, how long each may take, and what
 * happens when it fails. The twelve default phases are those of the reference, in one straight line; a user may put
 * phases between them.
 */
import { seconds } from '../../foundation/duration.ts'
import { InvalidSettings, unknownSettings } from '../../foundation/invalid-settings.ts'
import { isRecord } from '../../foundation/is-object.ts'
import { show } from '../../foundation/show.ts'

/** One step of the shutdown: when it comes, how long it may take, and what happens when it fails. */
export interface ShutdownPhase {
  /** Phases that come before this one. */
  readonly dependsOn: readonly string[]
  /** How long the tasks of the phase may take together; after it the phase has failed, and the tasks are left alone. */
  readonly timeoutMs: number
  /** True: a failure or timeout is logged and the next phase begins. False: it ends the shutdown, unfinished. */
  readonly recover: boolean
  /** False: the phase is passed over and its tasks do not run. */
  readonly enabled: boolean
}

/** All steps, by name. */
export type ShutdownPhases = Readonly<Record<string, ShutdownPhase>>

/** The twelve phases that a system has when it is not told otherwise. */
export const defaultShutdownPhases = {
  'before-service-unbind': phase([]),
  'service-unbind': phase(['before-service-unbind']),
  'service-requests-done': phase(['service-unbind']),
  'service-stop': phase(['service-requests-done']),
  'before-cluster-shutdown': phase(['service-stop']),
  'cluster-sharding-shutdown-region': phase(['before-cluster-shutdown'], seconds(10)),
  'cluster-leave': phase(['cluster-sharding-shutdown-region']),
  'cluster-exiting': phase(['cluster-leave'], seconds(10)),
  'cluster-exiting-done': phase(['cluster-exiting']),
  'cluster-shutdown': phase(['cluster-exiting-done']),
  'before-actor-system-terminate': phase(['cluster-shutdown']),
  'actor-system-terminate': phase(['before-actor-system-terminate'], seconds(10)),
} as const satisfies ShutdownPhases

/** A default phase, or the name of a phase that the user added. */
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
  const areListsWhole = Object.values(phases).every(
    (each) => isRecord(each) && Array.isArray(each['dependsOn']),
  )
  return areListsWhole ? [...problems, ...sort(phases as ShutdownPhases).problems] : problems
}

const knownFields = { dependsOn: 1, timeoutMs: 1, recover: 1, enabled: 1 }

function problemsWithPhase(name: string, given: unknown): string[] {
  if (!isRecord(given)) {
    const fields = Object.keys(knownFields).join(', ')
    return [`${name} must be an object with ${fields}, not ${show(given)}`]
  }
  const { dependsOn, timeoutMs, recover, enabled } = given
  const problems = unknownSettings(given, knownFields).map((problem) => `${name}.${problem}`)
  if (name === '') problems.push('the name of a phase has at least one character')
  if (!Array.isArray(dependsOn)) {
    problems.push(`${name}.dependsOn must be a list of phases, not ${show(dependsOn)}`)
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

function phase(dependsOn: readonly string[], timeoutMs = seconds(5)): ShutdownPhase {
  return { dependsOn, timeoutMs, recover: true, enabled: true }
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
    trail.pop()
    placed.add(name)
  }

  for (const name of Object.keys(phases)) visit(name)
  return { order: [...placed], problems }
}
