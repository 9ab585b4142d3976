/** What can be tuned about event-sourced entities, and what each choice costs. */
import { seconds } from '../../foundation/duration.ts'
import { count } from '../../foundation/setting-kinds.ts'
import { SettingsTable } from '../../foundation/settings-table.ts'

export interface EventSourcedSettings {
  /**
   * Commands that may wait in the mailbox when another one comes while the entity recovers or waits for its journal, and again
   * as many that it stashes; the next is dropped. More rides out a longer recovery and takes more memory.
   */
  readonly stashedCommandsMax: number
  /** Commands handled whose events are not stored yet. More hides a slower journal; the next ones wait in the mailbox. */
  readonly unstoredCommandsMax: number
  /** Events of one append; those of one command are never divided. May not be more than the journal's `appendEventsMax`. */
  readonly appendEventsMax: number
  /** Events applied in one go while recovering, before others get their turn. */
  readonly replayEventsMax: number
  /** How long the journal may be silent during a recovery before it has failed. The wait for a permit is not counted. */
  readonly recoveryTimeoutMs: number
}

export const eventSourcedSettingsTable = new SettingsTable<EventSourcedSettings>({
  stashedCommandsMax: count(4096, 'commands'),
  unstoredCommandsMax: count(1024, 'commands'),
  appendEventsMax: count(256, 'events'),
  replayEventsMax: count(256, 'events'),
  recoveryTimeoutMs: count(seconds(30), 'ms'),
})

export const defaultEventSourcedSettings = eventSourcedSettingsTable.defaults
