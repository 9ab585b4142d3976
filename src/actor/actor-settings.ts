/** What can be tuned about actors, and what each choice costs. */
import { minutes, seconds } from '../foundation/duration.ts'
import { unknownSettings } from '../foundation/invalid-settings.ts'
import { show } from '../foundation/show.ts'

/** What can be tuned about the actors of a system. */
export interface ActorSettings {
  /** How long an ask waits when it does not say. Longer hides a dead callee, shorter fails under load. */
  readonly askTimeoutMs: number
  /** How long a stopping actor waits for its async handler; then it stops without it. */
  readonly handlerStopTimeoutMs: number
  /** Messages held for an actor that restarts; the next is dropped. */
  readonly restartStashCapacity: number
  /** Lost messages logged before logging pauses; 0 logs none. They are counted and published in any case. */
  readonly logDeadLettersMax: number
  /** How long that pause lasts. */
  readonly logDeadLettersSuspendMs: number
  /** Whether lost messages are logged while the system shuts down, when they are to be expected. */
  readonly logDeadLettersDuringShutdown: boolean
  /** Whether SIGTERM and SIGINT run the coordinated shutdown. */
  readonly hookSignals: boolean
  /**
   * Whether the process exits after the coordinated shutdown, with a code by its reason. An error or a rejection that nobody
   * caught then runs the shutdown first; without it, Node ends the process at once.
   */
  readonly exitProcess: boolean
}

/** What holds where a system is not told otherwise. */
export const defaultActorSettings: ActorSettings = {
  askTimeoutMs: seconds(5),
  handlerStopTimeoutMs: seconds(3),
  restartStashCapacity: 1_000,
  logDeadLettersMax: 10,
  logDeadLettersSuspendMs: minutes(5),
  logDeadLettersDuringShutdown: false,
  hookSignals: true,
  exitProcess: false,
}

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithActorSettings(settings: ActorSettings): string[] {
  const problems = unknownSettings(settings, defaultActorSettings)
  for (const name of ['askTimeoutMs', 'handlerStopTimeoutMs', 'logDeadLettersSuspendMs'] as const) {
    const value = settings[name]
    const isTime = typeof value === 'number' && value > 0 && value < Infinity
    if (!isTime) problems.push(`${name} must be a positive number, not ${show(value)}`)
  }
  for (const name of ['restartStashCapacity', 'logDeadLettersMax'] as const) {
    const value = settings[name]
    if (!Number.isSafeInteger(value) || value < 0) {
      problems.push(`${name} must be a whole number of at least 0, not ${show(value)}`)
    }
  }
  for (const name of ['logDeadLettersDuringShutdown', 'hookSignals', 'exitProcess'] as const) {
    const value: unknown = settings[name]
    if (typeof value !== 'boolean')
      problems.push(`${name} must be true or false, not ${show(value)}`)
  }
  return problems
}
