/** What can be tuned about the embedded journal, and what each choice costs. */
import { seconds } from '../../foundation/duration.ts'
import { InvalidSettings } from '../../foundation/invalid-settings.ts'
import { count } from '../../foundation/setting-kinds.ts'
import { SettingsTable } from '../../foundation/settings-table.ts'
import { type JournalSettings, journalSettingsTable } from '../persistence-settings.ts'

export interface LmdbSettings extends JournalSettings {
  /** Bytes that wait to be stored in one process; what comes on top is refused with `JournalUnavailable`. */
  readonly waitingBytesMax: number
  /** Events that share one commit. More is faster in all and holds the store's only write lock longer each time. */
  readonly commitEventsMax: number
  /** Bytes that share one commit, with the same consequence. One append is never divided. */
  readonly commitBytesMax: number
  /** How long a commit may take, waiting for other processes included, before its appends are given up. */
  readonly commitTimeoutMs: number
  /**
   * A process of this host that was stopped (SIGSTOP, Ctrl-Z) while it held the store's only write lock is ended with SIGKILL
   * after so long; until then nobody can write. Infinity: never, and the others wait until it goes on. Linux only (x64 and
   * arm64 with glibc, one pid namespace): elsewhere nobody is ended. A process in a debugger or in a paused container is not:
   * the error of those who wait names it.
   */
  readonly stoppedWriterKillAfterMs: number
  /** Events read in one go before the event loop is served. */
  readonly readEventsMax: number
  /** Bytes read in one go before the event loop is served; one event more may be read. */
  readonly readBytesMax: number
}

export const lmdbSettingsTable = new SettingsTable<LmdbSettings>(
  {
    ...journalSettingsTable.settings,
    waitingBytesMax: count(67_108_864, 'bytes'),
    commitEventsMax: count(1024, 'events'),
    commitBytesMax: count(4_194_304, 'bytes'),
    commitTimeoutMs: count(seconds(10), 'ms'),
    stoppedWriterKillAfterMs: count(seconds(2), 'ms', { mayBeInfinity: true }),
    readEventsMax: count(256, 'events'),
    readBytesMax: count(1_048_576, 'bytes'),
  },
  [
    '{waitingBytesMax} must be at least {eventBytesMax}, or no such event is ever stored',
    '{waitingBytesMax} must be at least {stateBytesMax}, or no such state is ever stored',
  ],
)

export const defaultLmdbSettings = lmdbSettingsTable.defaults

export function checkLmdbSettings(settings: LmdbSettings): void {
  const problems = lmdbSettingsTable.problemsWith(settings)
  if (problems.length > 0) throw new InvalidSettings('The settings of the journal', problems)
}
