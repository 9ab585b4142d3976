/** What can be tuned about singletons, and what each choice costs. */
import { minutes, seconds } from '../foundation/duration.ts'
import { unknownSettings } from '../foundation/invalid-settings.ts'

export interface SingletonSettings {
  /** How often nodes repeat what was not answered. Shorter recovers sooner from lost messages and costs idle traffic. */
  readonly retryIntervalMs: number
  /** Messages one proxy holds while it does not know where the instance is; the oldest gives way to the next. */
  readonly bufferedMessagesMax: number
  /** How long an instance may take to stop when it is handed over; after it, it is forced to. */
  readonly stopTimeoutMs: number
  /** The pause before an instance that ended by itself is started again; it doubles each time. */
  readonly restartMinMs: number
  /** The longest such pause: how long the singleton may be away after its cause has been put right. */
  readonly restartMaxMs: number
  /** An instance that lived so long was well: the pauses begin anew with the shortest. */
  readonly restartResetAfterMs: number
}

export const defaultSingletonSettings: SingletonSettings = {
  retryIntervalMs: seconds(1),
  bufferedMessagesMax: 1_000,
  stopTimeoutMs: seconds(6),
  restartMinMs: 100,
  restartMaxMs: seconds(10),
  restartResetAfterMs: minutes(1),
}

/** As in the reference: whoever needs more has lost the singleton, not a moment. */
const bufferedMessagesLimit = 10_000

const times = [
  'retryIntervalMs',
  'stopTimeoutMs',
  'restartMinMs',
  'restartMaxMs',
  'restartResetAfterMs',
] as const

/** What a hand-over must be done within, and what it takes besides. */
export interface HandOverLimits {
  /** The time of the phase `cluster-exiting`. */
  readonly phaseMs: number
  /** How long an instance that is forced to stop waits for its async handler. */
  readonly handlerStopTimeoutMs: number
}

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithSingletonSettings(
  settings: SingletonSettings,
  { phaseMs, handlerStopTimeoutMs }: HandOverLimits,
): string[] {
  const problems = unknownSettings(settings, defaultSingletonSettings)
  for (const name of times) {
    const value = settings[name]
    if (!(typeof value === 'number' && value > 0 && value < Infinity)) {
      problems.push(`${name} must be a positive number of milliseconds, not ${String(value)}`)
    }
  }
  const { bufferedMessagesMax: buffered, restartMinMs, restartMaxMs, stopTimeoutMs } = settings
  if (!Number.isSafeInteger(buffered) || buffered < 0 || buffered > bufferedMessagesLimit) {
    problems.push(
      `bufferedMessagesMax must be a whole number from 0 to ${bufferedMessagesLimit}, not ${String(buffered)}`,
    )
  }
  if (restartMinMs > restartMaxMs) {
    problems.push('restartMinMs must not be longer than restartMaxMs')
  }
  if (stopTimeoutMs + handlerStopTimeoutMs >= phaseMs) {
    problems.push(
      `stopTimeoutMs (${stopTimeoutMs}) and actor.handlerStopTimeoutMs (${handlerStopTimeoutMs}) together must be less than the ${phaseMs} ms of the phase cluster-exiting, or a node is not done with its singletons in time`,
    )
  }
  return problems
}
