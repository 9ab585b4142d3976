/** What can be tuned about event-sourced entities, and what each choice costs. */
import { seconds } from '../../foundation/duration.ts'
import { unknownSettings } from '../../foundation/invalid-settings.ts'

export interface EventSourcedSettings {
  /** Commands kept while the entity recovers or waits for its journal, and again as many that it stashes; the next is dropped. */
  readonly stashedCommandsMax: number
  /** Commands handled whose events are not stored yet. More hides a slower journal; the next ones wait in the stash. */
  readonly unstoredCommandsMax: number
  /** Events of one append; those of one command are never divided. May not be more than the journal's `appendEventsMax`. */
  readonly appendEventsMax: number
  /** Events applied in one go while recovering, before others get their turn. */
  readonly replayEventsMax: number
  /** How long the journal may be silent during a recovery before it has failed. The wait for a permit is not counted. */
  readonly recoveryTimeoutMs: number
}

export const defaultEventSourcedSettings: EventSourcedSettings = {
  stashedCommandsMax: 4096,
  unstoredCommandsMax: 1024,
  appendEventsMax: 256,
  replayEventsMax: 256,
  recoveryTimeoutMs: seconds(30),
}

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithEventSourced(settings: EventSourcedSettings): string[] {
  const names = Object.keys(defaultEventSourcedSettings) as (keyof EventSourcedSettings)[]
  const wrong = names.filter((name) => !Number.isSafeInteger(settings[name]) || settings[name] < 1)
  return [
    ...unknownSettings(settings, defaultEventSourcedSettings),
    ...wrong.map((name) => `${name} must be a whole number of at least 1, not ${settings[name]}`),
  ]
}
