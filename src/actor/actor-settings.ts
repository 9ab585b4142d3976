/** What can be tuned about actors, and what each choice costs. */
import { minutes, seconds } from '../foundation/duration.ts'
import { count, flag, milliseconds } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'

/** What can be tuned about the actors of a system. */
export interface ActorSettings {
  /** How long an ask waits when it does not say. Longer hides a dead callee, shorter fails under load. */
  readonly askTimeoutMs: number
  /** How long a stopping actor waits for its async handler; then it stops without it. */
  readonly handlerStopTimeoutMs: number
  /** Messages held for an actor that restarts; the next is dropped. */
  readonly restartStashMessagesMax: number
  /** Lost messages logged before logging pauses; 0 logs none. They are counted and published in any case. */
  readonly logDeadLettersMax: number
  /** How long that pause lasts. */
  readonly logDeadLettersSuspendMs: number
  /** Whether lost messages are logged while the system shuts down, when they are to be expected. */
  readonly logDeadLettersDuringShutdown: boolean
  /**
   * Failures of actors for the same cause that follow the first are counted and logged as one line in this time: a short one
   * fills the log when something fails again and again, and 0 logs every one.
   */
  readonly logFailuresIntervalMs: number
  /** Whether SIGTERM and SIGINT run the coordinated shutdown. */
  readonly hookSignals: boolean
  /**
   * Whether the process exits after the coordinated shutdown, with a code by its reason. Who waits for its end is told
   * before, but not waited for: work that takes time is a task of the shutdown. An error or a rejection that nobody caught
   * then runs the shutdown first; without it, Node ends the process at once.
   */
  readonly exitProcess: boolean
}

export const actorSettingsTable = new SettingsTable<ActorSettings>(
  {
    askTimeoutMs: milliseconds(seconds(5)),
    handlerStopTimeoutMs: milliseconds(seconds(3)),
    restartStashMessagesMax: count(1_000, 'messages', { min: 0 }),
    logDeadLettersMax: count(10, 'messages', { min: 0 }),
    logDeadLettersSuspendMs: milliseconds(minutes(5)),
    logDeadLettersDuringShutdown: flag(false),
    logFailuresIntervalMs: count(minutes(1), 'ms', { min: 0 }),
    hookSignals: flag(true),
    exitProcess: flag(false),
  },
  [
    '{handlerStopTimeoutMs} must be less than {the time of the phase actor-system-terminate}, or the system would end before its actors',
  ],
)

/** What holds where a system is not told otherwise. */
export const defaultActorSettings = actorSettingsTable.defaults
