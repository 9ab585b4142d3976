/** What can be tuned about every journal, and what each choice costs. A store may have more settings, of its own. */
import { unknownSettings } from '../foundation/invalid-settings.ts'

export interface JournalSettings {
  /** Bytes of one event; a larger one is refused. Large events make every recovery slow. */
  readonly eventBytesMax: number
  /** Events of one append; more are refused, because they are stored all together or not at all. */
  readonly appendEventsMax: number
}

export const defaultJournalSettings: JournalSettings = {
  eventBytesMax: 1_048_576,
  appendEventsMax: 1024,
}

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithJournalSettings(settings: JournalSettings): string[] {
  const names = Object.keys(defaultJournalSettings) as (keyof JournalSettings)[]
  const wrong = names.filter((name) => !Number.isSafeInteger(settings[name]) || settings[name] < 1)
  return [
    ...unknownSettings(settings, defaultJournalSettings),
    ...wrong.map((name) => `${name} must be a whole number of at least 1, not ${settings[name]}`),
  ]
}
