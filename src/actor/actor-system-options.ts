/** What an actor system is made of, and every problem with it at once. */
import { type Environment, problemsWithEnvironment } from '../foundation/environment.ts'
import { InvalidSettings } from '../foundation/invalid-settings.ts'
import { isObject } from '../foundation/is-object.ts'
import { show } from '../foundation/show.ts'
import { unknownSettings } from '../foundation/unknown-names.ts'
import { type ActorSettings, actorSettingsTable } from './actor-settings.ts'
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
  if (!isObject(given)) {
    throw new InvalidSettings(what, [
      `they must be an object such as { settings }, not ${show(given)}`,
    ])
  }
  const settings = actorSettingsTable.complete(options.settings)
  const phases: ShutdownPhases =
    options.shutdownPhases === undefined ? defaultShutdownPhases : options.shutdownPhases
  const ofPhases = problemsWithShutdownPhases(phases)
  const last = ofPhases.length > 0 ? undefined : phases[lastPhase]
  if (ofPhases.length === 0 && last === undefined) {
    ofPhases.push(`shutdownPhases has no phase ${lastPhase}`)
  }
  const problems = [
    ...unknownSettings(options, known, 'an option'),
    ...actorSettingsTable.problemsWith(settings, {
      [`the time of the phase ${lastPhase}`]: last?.timeoutMs ?? Infinity,
    }),
    ...ofPhases,
    ...problemsWithEnvironment(options.environment),
  ]
  if (problems.length > 0) throw new InvalidSettings(what, problems)
  return { settings, phases }
}
