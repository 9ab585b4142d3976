/** What can be tuned about the cluster, and what each choice costs. */
import { minutes, seconds } from '../foundation/duration.ts'
import {
  count,
  flag,
  milliseconds,
  number,
  perName,
  section,
  text,
} from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'
import { detectionSpreadMs } from './detection/detection-time.ts'
import {
  agreementOnDowning,
  type ChosenDowningSettings,
  type DowningSettings,
  downingSettingsTable,
  stableAfterMs,
} from './downing/downing-settings.ts'
import { isDataCenterName } from './gossip/data-center.ts'
import { defaultDataCenter } from './gossip/member.ts'
import { type SharedStore, shownStore } from './joining/shared-store.ts'

export interface ClusterSettings {
  /** How often a node looks at its deadlines and detectors. Shorter notices sooner and costs idle work. */
  readonly tickIntervalMs: number
  /** How often a node gossips with one peer. Longer saves traffic, and news in large clusters spreads later. */
  readonly gossipIntervalMs: number
  /** How often a peer that is behind is preferred, 0 to 1. Lower spreads news later; 1 floods whoever is behind. */
  readonly gossipDifferentViewProbability: number
  /** Peers that hear of a change made here at once. 0 leaves all to the interval, and failover takes seconds longer. */
  readonly eagerGossipPeersMax: number
  /**
   * Members that must have come before the first of them is let in; later nobody counts any more. More keeps the first ones from
   * taking all work upon them while the others start, and lets a cluster wait for one that does not come.
   */
  readonly minMembers: number
  /** The same of the members with a role, for each role by its name. */
  readonly minMembersByRole: Readonly<Record<string, number>>
  /** How long a removed member is remembered, by each node's own clock. A split that lasts longer can bring it back to life. */
  readonly pruneTombstonesAfterMs: number
  /** How often a newcomer asks the seeds again. */
  readonly seedRetryIntervalMs: number
  /** How long the first seed looks for a cluster before it forms one. Shorter risks a second cluster. */
  readonly seedTimeoutMs: number
  /** How often a newcomer asks its discovery where nodes are. Longer spares the name servers, and lets it join later. */
  readonly discoveryIntervalMs: number
  /** How long it waits for the answer before it asks again. */
  readonly discoveryTimeoutMs: number
  /**
   * How long the answer must not have changed before a cluster is founded by it. Shorter founds while some are still unknown, and
   * they may take another for the founder; longer lets every first start wait.
   */
  readonly discoveryStillMs: number
  /** How long a newcomer waits for its welcome before it asks another seed. */
  readonly joinTimeoutMs: number
  /**
   * Whether a newcomer gives up when its settings are not those of the cluster. False lets it join with a warning, as while one
   * value replaces another in a deployment: a split in that time may leave two sides, or none.
   */
  readonly mustAgreeOnSettings: boolean
  /** How long a newcomer tries at all before it shuts down; Infinity tries for ever. */
  readonly joinDeadlineMs: number
  /**
   * How often a node asks the ones it monitors for a sign of life. After two of these without an answer from a majority, or
   * without having run itself, a node freezes. Shorter freezes for every hiccup, longer finds cuts later.
   */
  readonly heartbeatIntervalMs: number
  /**
   * Silence beyond the usual that is forgiven before a member is unreachable. Shorter blames busy event loops, longer
   * notices dead hosts later. Does not delay freezing: a node that a majority does not answer freezes long before.
   */
  readonly acceptableHeartbeatPauseMs: number
  /** Suspicion at which a silent member is unreachable. Higher errs less and waits longer. */
  readonly phiThreshold: number
  /** Intervals remembered per monitored member. */
  readonly phiSamplesMax: number
  /** The least deviation assumed between signs of life. Too small blames the first hiccup. */
  readonly phiDeviationMinMs: number
  /**
   * The most deviation that is learned. Larger forgives a ragged rhythm, but the two sides of a split then notice it at
   * different times, and `downing.stableAfterMs` must cover that.
   */
  readonly phiDeviationMaxMs: number
  /**
   * How often a node looks whether the process of an unreachable member on its own host has ended; when a connection breaks it
   * looks at once. One that has ended is downed without further wait. Infinity never looks, and is not looked at by others.
   */
  readonly processLookIntervalMs: number
  /** How many members each member monitors. More finds mass failures sooner and costs traffic. */
  readonly monitoredByMembers: number
  /**
   * How often a node that hosts entities looks at the record of the founding in the store that all share, and the leader
   * carries it on, with a write. Longer costs the store less; a cluster that was founded anew is then noticed later.
   */
  readonly foundingLookIntervalMs: number
  /**
   * How long that record must stand still before a first seed founds the cluster anew, where nothing proves that its members
   * have ended. After four fifths of it members that are shown no change freeze, unless the first seed answers them. Shorter
   * freezes for every hiccup of the store, longer lets a restart after the loss of all hosts wait.
   */
  readonly foundingStillMs: number
  /** How long a downed node stays to spread the news before it shuts down. */
  readonly downedLingerMs: number
  /** How long an exiting node waits for the word that it was removed. */
  readonly exitedLingerMs: number
  /**
   * Where this node is. Each data center has its own leader, decides its splits alone, and has its own singletons and shards: it
   * goes on when it is cut off from the others. Letters, digits, ".", "_" and "-".
   */
  readonly dataCenter: string
  /** So many of the oldest of each data center talk with the others, and watch them. More costs links, fewer notice later. */
  readonly crossDataCenterConnections: number
  /** How often those ask the ones in other data centers for a sign of life. */
  readonly crossDataCenterHeartbeatIntervalMs: number
  /**
   * Silence beyond that after which they hold one for unreachable, and a data center when none of its members answers. Nobody is
   * frozen or given up for it. Shorter tells of every hiccup of the line.
   */
  readonly crossDataCenterPauseMs: number
  /**
   * How often one of them gossips with another data center instead of its own, 0 to 1. Lower spares the line, and news gets there
   * later. In data centers of fewer than five members it is more often.
   */
  readonly crossDataCenterGossipProbability: number
  readonly downing: DowningSettings
}

export const clusterSettingsTable = new SettingsTable<ClusterSettings>(
  {
    tickIntervalMs: milliseconds(250),
    gossipIntervalMs: milliseconds(seconds(1)),
    gossipDifferentViewProbability: number(
      0.8,
      'a number from 0 to 1',
      (value) => value >= 0 && value <= 1,
    ),
    eagerGossipPeersMax: count(4, 'members', { min: 0 }),
    minMembers: count(1, 'members'),
    minMembersByRole: perName('role', count(0, 'members', { min: 0 })),
    pruneTombstonesAfterMs: milliseconds(minutes(24 * 60)),
    seedRetryIntervalMs: milliseconds(500),
    seedTimeoutMs: milliseconds(seconds(5)),
    discoveryIntervalMs: milliseconds(seconds(1)),
    discoveryTimeoutMs: milliseconds(seconds(5)),
    discoveryStillMs: milliseconds(seconds(5)),
    joinTimeoutMs: milliseconds(seconds(10)),
    mustAgreeOnSettings: flag(true),
    joinDeadlineMs: milliseconds(Infinity, { mayBeInfinity: true }),
    heartbeatIntervalMs: milliseconds(seconds(1)),
    acceptableHeartbeatPauseMs: milliseconds(seconds(5)),
    phiThreshold: number(8, 'a positive number', (value) => value > 0),
    phiSamplesMax: count(1_000, 'intervals'),
    phiDeviationMinMs: milliseconds(100),
    phiDeviationMaxMs: milliseconds(200),
    processLookIntervalMs: milliseconds(seconds(1), { mayBeInfinity: true }),
    monitoredByMembers: count(9, 'members'),
    foundingLookIntervalMs: milliseconds(seconds(1)),
    foundingStillMs: milliseconds(seconds(10)),
    downedLingerMs: milliseconds(seconds(4)),
    exitedLingerMs: milliseconds(seconds(1)),
    dataCenter: text(
      defaultDataCenter,
      'a text of 1 to 63 letters, digits, ".", "_" or "-", the first a letter or digit',
      isDataCenterName,
    ),
    crossDataCenterConnections: count(5, 'members'),
    crossDataCenterHeartbeatIntervalMs: milliseconds(seconds(3)),
    crossDataCenterPauseMs: milliseconds(seconds(10)),
    crossDataCenterGossipProbability: number(
      0.2,
      'a number from 0 to 1',
      (value) => value >= 0 && value <= 1,
    ),
    downing: section(downingSettingsTable),
  },
  [
    '{tickIntervalMs} must be at most half of {heartbeatIntervalMs}, or silence is noticed late',
    '{acceptableHeartbeatPauseMs} must be at least {heartbeatIntervalMs}, or one late answer makes a member unreachable',
    '{phiDeviationMaxMs} must be at least {phiDeviationMinMs}',
    '{tickIntervalMs} must be at most half of {crossDataCenterHeartbeatIntervalMs}, or silence is noticed late',
    '{downing.stableAfterMs} must be at least {the spread of detection}: so far apart can two sides of a split notice it, and the losing one must be frozen before the other acts',
    '{downing.acquireLeaseDelayForMinorityMs} must be at least {the spread of detection}, or the majority freezes before it has asked for the lease',
    '{seedTimeoutMs} must be at least twice {seedRetryIntervalMs}, to leave time to ask twice',
    '{discoveryStillMs} must be at least twice {discoveryIntervalMs}, to see that an answer does not change',
    '{joinDeadlineMs} must be at least {seedTimeoutMs}',
    '{foundingStillMs} must be at least {eight looks at the founding}, so that others can stand in for a leader that does not get through to the store',
    '{foundingStillMs} must be at least {ten ticks}, so that members have frozen before they are succeeded',
  ],
  (settings) => ({
    'downing.stableAfterMs': stableAfterMs(settings.downing, 1, settings),
    'the spread of detection': Math.ceil(detectionSpreadMs(settings)),
    'eight looks at the founding': 8 * settings.foundingLookIntervalMs,
    'ten ticks': 10 * settings.tickIntervalMs,
  }),
)

export const defaultClusterSettings = clusterSettingsTable.defaults

/** What can be chosen, each name alone. */
export interface ChosenClusterSettings extends Partial<Omit<ClusterSettings, 'downing'>> {
  readonly downing?: ChosenDowningSettings
}

/**
 * No setting: of the words of gossip, to be raised whenever one of them changes. Who cannot read them would be let in and keep
 * all others from agreeing.
 */
const gossipVersion = '4'

/** The settings that must be equal on all nodes, as a newcomer shows them. */
export function agreementOf(
  settings: ClusterSettings,
  store?: SharedStore,
): Readonly<Record<string, string>> {
  return {
    gossip: gossipVersion,
    heartbeatIntervalMs: String(settings.heartbeatIntervalMs),
    acceptableHeartbeatPauseMs: String(settings.acceptableHeartbeatPauseMs),
    monitoredByMembers: String(settings.monitoredByMembers),
    foundingStillMs: String(settings.foundingStillMs),
    ...(settings.dataCenter === defaultDataCenter ? {} : { dataCenter: settings.dataCenter }),
    ...agreementOnDowning(settings.downing),
    ...(store !== undefined && { store: shownStore(store) }),
  }
}

/** Who counts in a split, and how many are enough, each data center settles for itself. */
const ofOneDataCenter: ReadonlySet<string> = new Set(['downing.role', 'downing.quorumSize'])

/** Where a newcomer's settings differ from ours, in words for the person who started it. */
export function disagreements(
  ours: Readonly<Record<string, string>>,
  theirs: Readonly<Record<string, string>>,
): string[] {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort()
  const isApart = ours['dataCenter'] !== theirs['dataCenter']
  return (
    names
      .filter((name) => ours[name] !== theirs[name])
      // Not a setting, and not everybody has one: see `problemsWithStore`. And data centers are there to differ.
      .filter((name) => name !== 'store' && name !== 'dataCenter')
      .filter((name) => !isApart || !ofOneDataCenter.has(name))
      .map(
        (name) =>
          `${name} is ${theirs[name] ?? 'not set'} here and ${ours[name] ?? 'not set'} in the cluster`,
      )
  )
}
