/** What can be tuned about the embedded journal, and what each choice costs. */
import { seconds } from '../../foundation/duration.ts'
import { InvalidSettings, unknownSettings } from '../../foundation/invalid-settings.ts'
import { defaultJournalSettings, type JournalSettings } from '../persistence-settings.ts'

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

export const defaultLmdbSettings: LmdbSettings = {
  ...defaultJournalSettings,
  waitingBytesMax: 67_108_864,
  commitEventsMax: 1024,
  commitBytesMax: 4_194_304,
  commitTimeoutMs: seconds(10),
  stoppedWriterKillAfterMs: seconds(2),
  readEventsMax: 256,
  readBytesMax: 1_048_576,
}

const mayBeInfinite: ReadonlySet<string> = new Set(['stoppedWriterKillAfterMs'])

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithLmdbSettings(settings: LmdbSettings): string[] {
  const problems = unknownSettings(settings, defaultLmdbSettings)
  for (const name of Object.keys(defaultLmdbSettings) as (keyof LmdbSettings)[]) {
    const value = settings[name]
    if (isWhole(value) || (value === Infinity && mayBeInfinite.has(name))) continue
    problems.push(`${name} must be a whole number of at least 1, not ${value}`)
  }
  if (settings.waitingBytesMax < settings.eventBytesMax) {
    problems.push('waitingBytesMax must be at least eventBytesMax, or no such event is ever stored')
  }
  return problems
}

export function checkLmdbSettings(settings: LmdbSettings): void {
  const problems = problemsWithLmdbSettings(settings)
  if (problems.length > 0) throw new InvalidSettings('The settings of the journal', problems)
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}
