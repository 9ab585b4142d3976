/** What can be tuned about every journal, and what each choice costs. A store may have more settings, of its own. */
import { count } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'

export interface JournalSettings {
  /** Bytes of one event; a larger one is refused. Large events make every recovery slow. */
  readonly eventBytesMax: number
  /** Events of one append; more are refused, because they are stored all together or not at all. */
  readonly appendEventsMax: number
}

export const journalSettingsTable = new SettingsTable<JournalSettings>({
  eventBytesMax: count(1_048_576, 'bytes'),
  appendEventsMax: count(1024, 'events'),
})

export const defaultJournalSettings = journalSettingsTable.defaults
