/** What an actor system is made of, and every problem with it at once. */
import { type Environment, problemsWithEnvironment } from '../foundation/environment.ts'
import {
  InvalidSettings,
  problemsWithObject,
  unknownSettings,
} from '../foundation/invalid-settings.ts'
import { show } from '../foundation/show.ts'
import {
  type ActorSettings,
  defaultActorSettings,
  problemsWithActorSettings,
} from './actor-settings.ts'
import {
  defaultShutdownPhases,
  problemsWithShutdownPhases,
  type ShutdownPhases,
} from './shutdown/shutdown-phases.ts'

/** What may be said about a system beside its name. */
export interface ActorSystemOptions {
  /** Time, chance, turns, log and process. What is left out is the real thing. */
  readonly environment?: Partial<Environment>
  readonly settings?: Partial<ActorSettings>
  /** The phases of the coordinated shutdown; `defaultShutdownPhases` when not given. */
  readonly shutdownPhases?: ShutdownPhases
}

/** The phase in which the actors stop. */
export const lastPhase = 'actor-system-terminate'

const known = { environment: 1, settings: 1, shutdownPhases: 1 }

/** Throws `InvalidSettings` with all that is wrong. */
export function checkedOptions(
  name: string,
  options: ActorSystemOptions,
): { readonly settings: ActorSettings; readonly phases: ShutdownPhases } {
  const what = `The settings of ${name}`
  const given: unknown = options
  if (typeof given !== 'object' || given === null) {
    throw new InvalidSettings(what, [
      `they must be an object such as { settings }, not ${show(given)}`,
    ])
  }
  const isObject = typeof options.settings === 'object'
  const settings = { ...defaultActorSettings, ...(isObject ? options.settings : undefined) }
  const phases: ShutdownPhases =
    options.shutdownPhases === undefined ? defaultShutdownPhases : options.shutdownPhases
  const ofPhases = problemsWithShutdownPhases(phases)
  const problems = [
    ...unknownSettings(options, known, 'an option'),
    ...problemsWithObject('settings', options.settings),
    ...problemsWithActorSettings(settings),
    ...ofPhases,
    ...(ofPhases.length > 0 ? [] : problemsWithLastPhase(phases, settings)),
    ...problemsWithEnvironment(options.environment),
  ]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
  return { settings, phases }
}

/** Actors must be able to end within the phase that is made for it. */
function problemsWithLastPhase(phases: ShutdownPhases, settings: ActorSettings): string[] {
  const last = phases[lastPhase]
  if (last === undefined) return [`shutdownPhases has no phase ${lastPhase}`]
  const { handlerStopTimeoutMs } = settings
  if (!(handlerStopTimeoutMs >= last.timeoutMs)) return []
  return [
    `handlerStopTimeoutMs (${handlerStopTimeoutMs}) must be less than the ${last.timeoutMs} ms of ${lastPhase}, or the system would end before its actors`,
  ]
}
