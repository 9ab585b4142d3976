/** What can be tuned about the PostgreSQL journal, and what each choice costs. */
import { seconds } from '../../../foundation/duration.ts'
import { InvalidSettings } from '../../../foundation/invalid-settings.ts'
import { count } from '../../../foundation/setting-kinds.ts'
import { SettingsTable } from '../../../foundation/settings-table.ts'
import { type JournalSettings, journalSettingsTable } from '../../persistence-settings.ts'

export interface PostgresSettings extends JournalSettings {
  /** Bytes that wait to be stored for one connection that writes; what comes on top is refused with `JournalUnavailable`. */
  readonly waitingBytesMax: number
  /** Events that share one commit. More is faster in all and holds the locks of their slices longer each time. */
  readonly commitEventsMax: number
  /** Bytes that share one commit, with the same consequence. One append is never divided. */
  readonly commitBytesMax: number
  /** How long a commit may take, retries and reconnecting included, before its appends are given up. */
  readonly commitTimeoutMs: number
  /** Events read in one go before the event loop is served. */
  readonly readEventsMax: number
  /** Bytes read in one go before the event loop is served; one event more may be read. */
  readonly readBytesMax: number
  /** How long one question to the server may take before it is given up. */
  readonly readTimeoutMs: number
  /** How long the server may take to accept a connection. */
  readonly connectTimeoutMs: number
  /**
   * Connections to each server that write. Each commits for its own part of the slices, so that commits of several can be under
   * way at once; with more of them each commit carries less. 1, 2 or 4. Two let the server work for one half of the slices while
   * the process works for the other, and hide the time of a flush; four did not pay where it was measured.
   */
  readonly writeConnections: number
  /** Connections to each server that read, shared by all who read at the same time. */
  readonly readConnections: number
}

export const postgresSettingsTable = new SettingsTable<PostgresSettings>(
  {
    ...journalSettingsTable.settings,
    waitingBytesMax: count(67_108_864, 'bytes'),
    commitEventsMax: count(1024, 'events'),
    commitBytesMax: count(4_194_304, 'bytes'),
    commitTimeoutMs: count(seconds(10), 'ms'),
    readEventsMax: count(256, 'events'),
    readBytesMax: count(1_048_576, 'bytes'),
    readTimeoutMs: count(seconds(10), 'ms'),
    connectTimeoutMs: count(seconds(5), 'ms'),
    writeConnections: count(2, 'connections', { max: 4 }),
    readConnections: count(2, 'connections', { max: 64 }),
  },
  [
    '{waitingBytesMax} must be at least {eventBytesMax}, or no such event is ever stored',
    '{waitingBytesMax} must be at least {stateBytesMax}, or no such state is ever stored',
  ],
)

export const defaultPostgresSettings = postgresSettingsTable.defaults

export function checkPostgresSettings(settings: PostgresSettings): void {
  const problems = postgresSettingsTable.problemsWith(settings)
  if (settings.writeConnections === 3) problems.push('writeConnections must be 1, 2 or 4, not 3')
  if (problems.length > 0) throw new InvalidSettings('The settings of the journal', problems)
}
