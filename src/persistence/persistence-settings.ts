/** What can be tuned about every journal, and what each choice costs. A store may have more settings, of its own. */
import { count } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'

export interface JournalSettings {
  /** Bytes of one event; a larger one is refused. Large events make every recovery slow. */
  readonly eventBytesMax: number
  /** Events of one append; more are refused, because they are stored all together or not at all. */
  readonly appendEventsMax: number
  /** Bytes of one state, kept as a snapshot or by itself; a larger one is refused. It is read and written whole. */
  readonly stateBytesMax: number
}

export const journalSettingsTable = new SettingsTable<JournalSettings>({
  eventBytesMax: count(1_048_576, 'bytes'),
  appendEventsMax: count(1024, 'events'),
  stateBytesMax: count(16_777_216, 'bytes'),
})

export const defaultJournalSettings = journalSettingsTable.defaults
