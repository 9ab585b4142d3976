/** What can be tuned about journals, and what each choice costs. */
import { seconds } from '../foundation/duration.ts'

export interface JournalSettings {
  /** Bytes of one event; a larger one is refused. Large events make every recovery slow. */
  readonly eventBytesMax: number
  /** Events of one append; more are refused, because they are stored all together or not at all. */
  readonly appendEventsMax: number
  /** Bytes that wait to be stored in one process; what comes on top is refused with `JournalUnavailable`. */
  readonly waitingBytesMax: number
  /** Events that share one commit. More is faster in all and holds the store's only write lock longer each time. */
  readonly commitEventsMax: number
  /** Bytes that share one commit, with the same consequence. One append is never divided. */
  readonly commitBytesMax: number
  /** How long a commit may take, waiting for other processes included, before its appends are given up. */
  readonly commitTimeoutMs: number
  /** Events read in one go before the event loop is served. */
  readonly readEventsMax: number
  /** Bytes read in one go before the event loop is served; one event more may be read. */
  readonly readBytesMax: number
}

export const defaultJournalSettings: JournalSettings = {
  eventBytesMax: 1_048_576,
  appendEventsMax: 1024,
  waitingBytesMax: 67_108_864,
  commitEventsMax: 1024,
  commitBytesMax: 4_194_304,
  commitTimeoutMs: seconds(10),
  readEventsMax: 256,
  readBytesMax: 1_048_576,
}

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithJournalSettings(settings: JournalSettings): string[] {
  const problems = Object.entries(settings)
    .filter(([, value]) => !Number.isSafeInteger(value) || value < 1)
    .map(([name, value]) => `${name} must be a whole number of at least 1, not ${value}`)
  if (settings.waitingBytesMax < settings.eventBytesMax) {
    problems.push('waitingBytesMax must be at least eventBytesMax, or no such event is ever stored')
  }
  return problems
}
