/** What can be tuned about the end of a split, and how long to wait before anybody is given up. */
import { unreachable } from '../../foundation/assert.ts'
import { seconds } from '../../foundation/duration.ts'
import { maybe, mustBe, mustBeFunction } from '../../foundation/invalid-settings.ts'
import {
  count,
  flag,
  milliseconds,
  millisecondsOr,
  oneOf,
  optionalText,
  share,
} from '../../foundation/setting-kinds.ts'
import { type Setting, SettingsTable } from '../../foundation/settings-table.ts'
import { VariantTable } from '../../foundation/variant-table.ts'
import type { LeaseImplementation } from '../../lease/index.ts'
import { outOfTouchAfterMs } from '../detection/detection-time.ts'

/** What every strategy has. */
export interface DowningWaits {
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

/** What every strategy has that counts members. */
export interface DowningCount extends DowningWaits {
  /** Only members with this role count when it is decided which side lives on; undefined counts all. */
  readonly role: string | undefined
}

/** The side with more members lives on, of two equal ones that of the lowest address. */
export interface KeepMajoritySettings extends DowningCount {
  readonly strategy: 'keep-majority'
}

/** A side lives on that has this many members. */
export interface StaticQuorumSettings extends DowningCount {
  readonly strategy: 'static-quorum'
  /**
   * More than half of all the members that there ever shall be. With more than `2 * quorumSize - 1` members two sides could
   * have so many: then a split ends all of them.
   */
  readonly quorumSize: number
}

/** The side of the oldest member lives on. */
export interface KeepOldestSettings extends DowningCount {
  readonly strategy: 'keep-oldest'
  /** The oldest goes instead when it is all alone and the others are not. Without it the crash of the oldest ends everybody. */
  readonly downIfAlone: boolean
}

/** Nobody lives on, whoever cannot be reached. */
export interface DownAllSettings extends DowningWaits {
  readonly strategy: 'down-all'
}

/** The side lives on that gets a lease; the one with more members asks first. */
export interface LeaseMajoritySettings extends DowningCount {
  readonly strategy: 'lease-majority'
  /** Of the lease; `<cluster>-split` when not given, or blank. Two clusters that share a store need two. */
  readonly leaseName: string | undefined
  /** What makes it; a lease in the registers of the node's store when not given. */
  readonly lease: LeaseImplementation | undefined
  /** How much later than the majority the others ask. Shorter lets a small side win more often, longer lets the last wait. */
  readonly acquireLeaseDelayForMinorityMs: number
  /** How long the lease is kept after all who were given up are removed: the other side must have asked in vain by then. */
  readonly releaseAfterMs: number
}

/** Who survives a split, and how long to wait before anybody is given up. The same on all nodes. */
export type DowningSettings =
  | KeepMajoritySettings
  | StaticQuorumSettings
  | KeepOldestSettings
  | DownAllSettings
  | LeaseMajoritySettings

export type DowningStrategyName = DowningSettings['strategy']

type Given<Settings extends DowningSettings, Required extends keyof Settings> = Pick<
  Settings,
  Required
> &
  Partial<Settings>

/** What can be chosen: without a strategy the rest is for the default one. */
export type ChosenDowningSettings =
  | Partial<KeepMajoritySettings>
  | Given<StaticQuorumSettings, 'strategy' | 'quorumSize'>
  | Given<KeepOldestSettings, 'strategy'>
  | Given<DownAllSettings, 'strategy'>
  | Given<LeaseMajoritySettings, 'strategy'>

const waits = {
  stableAfterMs: millisecondsOr('by-size'),
  downAllWhenUnstableMs: millisecondsOr('by-size', { mayBeInfinity: true }),
  indirectlyConnectedShareMax: share(0.5),
}
const counting = { role: optionalText('a role'), ...waits }

function named<Name extends DowningStrategyName>(name: Name): Setting<Name> {
  return oneOf(name, [name])
}

const leaseImplementation: Setting<LeaseImplementation | undefined> = {
  default: undefined,
  range: 'a function, or undefined',
  check: maybe(mustBeFunction),
}

const leaseName: Setting<string | undefined> = {
  default: undefined,
  range: 'the name of a lease, or undefined',
  check: maybe(mustBe('the name of a lease, or undefined', (given) => typeof given === 'string')),
}

/** There is no right size for everybody: it must be said. */
const quorumSize: Setting<number> = {
  ...count(1, 'members'),
  default: undefined as unknown as number,
}

export const downingSettingsTable = new VariantTable<DowningSettings, 'strategy'>(
  'strategy',
  'keep-majority',
  {
    'keep-majority': new SettingsTable<KeepMajoritySettings>({
      strategy: named('keep-majority'),
      ...counting,
    }),
    'static-quorum': new SettingsTable<StaticQuorumSettings>({
      strategy: named('static-quorum'),
      quorumSize,
      ...counting,
    }),
    'keep-oldest': new SettingsTable<KeepOldestSettings>({
      strategy: named('keep-oldest'),
      downIfAlone: flag(true),
      ...counting,
    }),
    'down-all': new SettingsTable<DownAllSettings>({ strategy: named('down-all'), ...waits }),
    'lease-majority': new SettingsTable<LeaseMajoritySettings>({
      strategy: named('lease-majority'),
      leaseName,
      lease: leaseImplementation,
      acquireLeaseDelayForMinorityMs: milliseconds(seconds(3)),
      releaseAfterMs: milliseconds(seconds(40)),
      ...counting,
    }),
  },
)

export const defaultDowningSettings = downingSettingsTable.defaults

/** Who counts, where members are counted. */
export function roleOf(settings: DowningSettings): string | undefined {
  return 'role' in settings ? settings.role : undefined
}

export interface DowningTimings {
  readonly heartbeatIntervalMs: number
  readonly gossipIntervalMs: number
  readonly tickIntervalMs: number
  readonly monitoredByMembers: number
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
 *
 * Where a member monitors only some of the others, one that is cut off must find out that it is not the others who are
 * dead. So much time it has in any case, also where the wait was chosen.
 */
export function stableAfterMs(
  { stableAfterMs: wait }: DowningWaits,
  members: number,
  timings: DowningTimings,
): number {
  const isSampled = members - 1 > timings.monitoredByMembers
  const least = isSampled ? outOfTouchAfterMs(timings) : 0
  return Math.max(wait === 'by-size' ? waitBySizeMs(members, timings) : wait, least)
}

function waitBySizeMs(
  members: number,
  { heartbeatIntervalMs, gossipIntervalMs }: DowningTimings,
): number {
  const doublings = Math.log2(Math.max(members / wellInformedMembers, 1))
  return Math.round(2.5 * heartbeatIntervalMs + 3.5 * gossipIntervalMs * doublings)
}

/**
 * Three quarters of the wait, but never less than 10 s: detectors find the dead of one accident seconds apart, and that
 * alone must not look like instability.
 */
export function unstableMsMax(settings: DowningWaits, stableMs: number): number {
  const { downAllWhenUnstableMs: limit } = settings
  return limit === 'by-size' ? Math.max(seconds(10), stableMs * 0.75) : limit
}

/** What all nodes must have in common, or two sides of a split could both decide to live. */
export function agreementOnDowning(settings: DowningSettings): Readonly<Record<string, string>> {
  return {
    'downing.strategy': settings.strategy,
    'downing.role': roleOf(settings) ?? '(any)',
    'downing.stableAfterMs': String(settings.stableAfterMs),
    'downing.indirectlyConnectedShareMax': String(settings.indirectlyConnectedShareMax),
    ...agreementOnStrategy(settings),
  }
}

function agreementOnStrategy(settings: DowningSettings): Readonly<Record<string, string>> {
  switch (settings.strategy) {
    case 'static-quorum':
      return { 'downing.quorumSize': String(settings.quorumSize) }
    case 'keep-oldest':
      return { 'downing.downIfAlone': String(settings.downIfAlone) }
    case 'lease-majority':
      return {
        'downing.leaseName': settings.leaseName ?? '(by cluster)',
        'downing.acquireLeaseDelayForMinorityMs': String(settings.acquireLeaseDelayForMinorityMs),
      }
    case 'keep-majority':
    case 'down-all':
      return {}
    default:
      return unreachable(settings)
  }
}
