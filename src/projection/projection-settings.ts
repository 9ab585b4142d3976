/** What can be tuned about a projection, with unit and consequence. */
import { seconds } from '../foundation/duration.ts'
import { count, milliseconds, number } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'

export interface ProjectionSettings {
  /** How long a range that has seen everything waits before it looks again. New events are handled late by up to this long. */
  readonly pollIntervalMs: number
  /** Events that a range reads at once, and holds in memory. */
  readonly pageEventsMax: number
  /** How far it came is stored after so many events. When a process dies, up to so many are handled again. */
  readonly storeAfterEvents: number
  /** And after this long at the latest, as soon as the handler that runs has ended. */
  readonly storeAfterMs: number
  /** Events that `handleMany` gets at once, at most. */
  readonly batchEventsMax: number
  /** How long events wait for others to fill a batch. */
  readonly batchAfterMs: number
  /** The wait after the first failure; it doubles with each that follows. */
  readonly backOffMinMs: number
  readonly backOffMaxMs: number
  /** The part of a wait that is left to chance, so that ranges do not all try again at once. */
  readonly backOffJitter: number
  /** How often each node asks that all ranges run. One that ended by itself stays away for up to this long. */
  readonly keepAliveIntervalMs: number
  /** How long `status()` and `reset()` wait for other nodes. */
  readonly answerTimeoutMs: number
}

export const projectionSettingsTable = new SettingsTable<ProjectionSettings>(
  {
    pollIntervalMs: milliseconds(500),
    pageEventsMax: count(100, 'events', { max: 10_000 }),
    storeAfterEvents: count(100, 'events'),
    storeAfterMs: milliseconds(seconds(1)),
    batchEventsMax: count(100, 'events', { max: 10_000 }),
    batchAfterMs: milliseconds(100),
    backOffMinMs: milliseconds(200),
    backOffMaxMs: milliseconds(seconds(30)),
    backOffJitter: number(0.2, 'a number from 0 to 1', (value) => value >= 0 && value <= 1),
    keepAliveIntervalMs: milliseconds(seconds(3)),
    answerTimeoutMs: milliseconds(seconds(5)),
  },
  ['{backOffMinMs} must be at most {backOffMaxMs}, or no wait fits between them'],
)

export const defaultProjectionSettings = projectionSettingsTable.defaults
