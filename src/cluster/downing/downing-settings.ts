/** What can be tuned about the end of a split, and how long to wait before anybody is given up. */
import { seconds } from '../../foundation/duration.ts'
import { type DowningStrategyName, downingStrategyNames } from './downing-strategies.ts'
import { millisecondsOr, oneOf, optionalText, share } from '../../foundation/setting-kinds.ts'
import { SettingsTable } from '../../foundation/settings-table.ts'

export interface DowningSettings {
  /** Who survives a split. `keep-majority`: the side with more members, of two equal ones that of the lowest address. */
  readonly strategy: DowningStrategyName
  /** Only members with this role count when the majority is sought; undefined counts all. */
  readonly role: string | undefined
  /**
   * How long the picture must be still before anybody is downed. `by-size` follows the number of members. Shorter moves
   * entities sooner; too short acts on half a picture, or before the losing side has frozen itself. Where some links are
   * broken and others not, the wait is at least as long as it takes to notice a cut.
   */
  readonly stableAfterMs: number | 'by-size'
  /** How much longer than that a picture may keep changing before all members go down; Infinity never gives up. */
  readonly downAllWhenUnstableMs: number | 'by-size'
  /**
   * Share of indirectly connected members from which all are downed. It counts only in clusters in which not everybody
   * monitors everybody: elsewhere the indirectly connected are known exactly, and to down them is enough.
   */
  readonly indirectlyConnectedShareMax: number
}

export const downingSettingsTable = new SettingsTable<DowningSettings>({
  strategy: oneOf('keep-majority', downingStrategyNames),
  role: optionalText('a role'),
  stableAfterMs: millisecondsOr('by-size'),
  downAllWhenUnstableMs: millisecondsOr('by-size', { mayBeInfinity: true }),
  indirectlyConnectedShareMax: share(0.5),
})

export const defaultDowningSettings = downingSettingsTable.defaults

export interface DowningTimings {
  readonly heartbeatIntervalMs: number
  readonly gossipIntervalMs: number
}

/** So many members hear of each change at once, from whoever makes it, and see all others themselves. */
const wellInformedMembers = 4

/**
 * How long to wait in a cluster of this many members.
 *
 * Two things must happen while we wait. Everybody concerned must notice the same trouble: signs of life arrive up to one
 * heartbeat apart, detectors that have learned different rhythms differ by about one more, and a tick; 2.5 heartbeats.
 * And the news must spread: beyond four members each doubling of the cluster adds about 3.5 rounds of gossip. At the
 * defaults: up to 4 members 2.5 s, 5: 3.6 s, 10: 7.1 s, 20: 10.6 s, 50: 15.3 s, 100: 18.8 s, 1,000: 30.4 s; from
 * twenty members on it is about the wait that the field recommends.
 */
export function stableAfterMs(
  { stableAfterMs: wait }: DowningSettings,
  members: number,
  { heartbeatIntervalMs, gossipIntervalMs }: DowningTimings,
): number {
  if (wait !== 'by-size') return wait
  const doublings = Math.log2(Math.max(members / wellInformedMembers, 1))
  return Math.round(2.5 * heartbeatIntervalMs + 3.5 * gossipIntervalMs * doublings)
}

/**
 * Three quarters of the wait, but never less than 10 s: detectors find the dead of one accident seconds apart, and that
 * alone must not look like instability.
 */
export function unstableMsMax(settings: DowningSettings, stableMs: number): number {
  const { downAllWhenUnstableMs: limit } = settings
  return limit === 'by-size' ? Math.max(seconds(10), stableMs * 0.75) : limit
}

/** What all nodes must have in common, or two sides of a split could both decide to live. */
export function agreementOnDowning(settings: DowningSettings): Readonly<Record<string, string>> {
  return {
    'downing.strategy': settings.strategy,
    'downing.role': settings.role ?? '(any)',
    'downing.stableAfterMs': String(settings.stableAfterMs),
    'downing.indirectlyConnectedShareMax': String(settings.indirectlyConnectedShareMax),
  }
}
