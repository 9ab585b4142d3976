/** What can be tuned about singletons, and what each choice costs. */
import { minutes, seconds } from '../foundation/duration.ts'
import { count, milliseconds } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'

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
  /**
   * How often a node asks for the lease of a singleton that it did not get. Shorter starts it sooner when the lease is free, and
   * asks the store more often.
   */
  readonly leaseRetryIntervalMs: number
}

export const singletonSettingsTable = new SettingsTable<SingletonSettings>(
  {
    retryIntervalMs: milliseconds(seconds(1)),
    // As in the reference: whoever needs more has lost the singleton, not a moment.
    bufferedMessagesMax: count(1_000, 'messages', { min: 0, max: 10_000 }),
    stopTimeoutMs: milliseconds(seconds(6)),
    restartMinMs: milliseconds(100),
    restartMaxMs: milliseconds(seconds(10)),
    restartResetAfterMs: milliseconds(minutes(1)),
    leaseRetryIntervalMs: milliseconds(seconds(5)),
  },
  [
    '{restartMinMs} must be at most {restartMaxMs}',
    '{stopTimeoutMs} and {actor.handlerStopTimeoutMs} together must be less than {the time of the phase cluster-exiting}, or a node is not done with its singletons in time',
  ],
)

export const defaultSingletonSettings = singletonSettingsTable.defaults
