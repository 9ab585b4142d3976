/** What can be tuned about sharding, and what each choice costs. One such set per entity type. */
import { minutes, seconds } from '../foundation/duration.ts'
import { count, milliseconds, share } from '../foundation/setting-kinds.ts'
import { SettingsTable } from '../foundation/settings-table.ts'

export interface ShardingSettings {
  /** Shards per entity type. Must be the same on every node, for the life of the stored entities. */
  readonly numberOfShards: number
  /** How often regions and coordinator repeat what was not answered. Shorter recovers sooner and costs idle traffic. */
  readonly retryIntervalMs: number
  /** Messages one region holds for shards without a known home, all together; the next is dropped. */
  readonly bufferedMessagesMax: number
  /**
   * Messages that may wait in the mailbox of one entity; the next is dropped, and whoever asked hears of it at once. More
   * rides out longer bursts, takes more memory, and lets those who ask wait longer for an entity that is too slow.
   */
  readonly mailboxMessagesMax: number
  /** Messages one shard holds for entities that are stopping, all together; the next is dropped. */
  readonly entityBufferedMessagesMax: number
  /** How long a hand-off may take before the shard is left where it is. Entities are forced to stop before that. */
  readonly handOffTimeoutMs: number
  /**
   * How long an entity that is asked to stop may go on with what it was asked before; then its `signal` fires. Longer lets
   * slow commands end by themselves, and keeps all entities of their shard waiting when it moves.
   */
  readonly stopGraceMs: number
  /**
   * How long an entity may take to stop for a hand-off before it is forced to. Its async handler then has
   * `actor.handlerStopTimeoutMs` left; after both, what has not settled is cut off and the shard can move.
   */
  readonly stopTimeoutMs: number
  /** Hand-offs under way at once. More empties a leaving node, or fills a new one, sooner and stops more entities at one moment. */
  readonly handOffsMax: number
  /** How long a leaving region waits for its shards to move before it stops them itself. */
  readonly gracefulShutdownTimeoutMs: number
  /**
   * Regions that must be there before the first shard gets a home. More spread the first shards evenly over a cluster that
   * is being started, and calls wait until they have come. It counts once in the life of the stored homes.
   */
  readonly minMembers: number
  /**
   * Events after which a coordinator stores what they come to, or as many as there are shards, if those are more. Fewer
   * make the next coordinator start sooner, and cost a write of the size of all homes each time.
   */
  readonly snapshotAfterEvents: number
  /**
   * How long a type counts for `isReady` after this node was first seen Up; then it is ready without a coordinator. Longer
   * keeps traffic from nodes that cannot serve it, and lets a type that is new in a rolling upgrade hold the upgrade up.
   */
  readonly readinessTimeoutMs: number
  /** How often the balance is looked at. Shorter fills new nodes sooner and moves shards more often. */
  readonly rebalanceIntervalMs: number
  /**
   * Shards moved in one round, at most. Infinity leaves it to `rebalanceShareMax`, so that a large cluster takes as many rounds as
   * a small one. How many move at one moment is for `handOffsMax`.
   */
  readonly rebalanceShardsMax: number
  /** Fraction of all shards moved in one round, at most; one shard always may. The next round follows when it has ended. */
  readonly rebalanceShareMax: number
  /** How long an allocation strategy may think; then the default strategy decides in its place. */
  readonly strategyTimeoutMs: number
  /**
   * How often regions tell what their shards had to do, where the allocation strategy uses that. Shorter sees a hot shard sooner,
   * and takes a short burst for one.
   */
  readonly loadReportIntervalMs: number
  /**
   * How long questions about regions of other nodes may take (`clusterStats`, `clusterState`, `explain`); who has not
   * answered by then is told as failed. Longer waits for busy nodes, and for those that will never answer.
   */
  readonly queryTimeoutMs: number
  /** How long the coordinator waits for the store; then it gives up, and the next one tries again. */
  readonly storeTimeoutMs: number
  /** How long a remembered entity that ended without passivation rests; its next message starts it at once. */
  readonly entityRestartBackoffMs: number
  /** How long a shard whose store of remembered entities failed stands still before it begins anew, and messages wait. */
  readonly shardFailureBackoffMs: number
  /** How long the store may be silent while a shard loads what it remembers; then the shard fails. */
  readonly rememberLoadTimeoutMs: number
  /** How long the store may take to remember that entities were started or stopped; then the shard fails. */
  readonly rememberUpdateTimeoutMs: number
  /**
   * Remembered entities that one region starts at a time when its shards come to it. Infinity starts all without a pause;
   * less spares whatever they need to start, and takes longer.
   */
  readonly entityRecoveryEntitiesMax: number
  /** The pause between two such parts; of no meaning where all are started without one. */
  readonly entityRecoveryIntervalMs: number
  /** How often a shard asks for a lease that it did not get. Shorter serves sooner, and asks the store more often. */
  readonly leaseRetryIntervalMs: number
  /** Idle time after which an entity is stopped; its next message starts it again. Infinity keeps it for ever. */
  readonly passivateIdleAfterMs: number
  /** How often a shard looks for idle entities. They are stopped late by up to this long. */
  readonly passivationSweepIntervalMs: number
  /** How long an entity may take to stop when passivated before it is forced to. */
  readonly passivationTimeoutMs: number
}

export const shardingSettingsTable = new SettingsTable<ShardingSettings>(
  {
    numberOfShards: count(128, 'shards'),
    retryIntervalMs: milliseconds(seconds(2)),
    bufferedMessagesMax: count(100_000, 'messages'),
    mailboxMessagesMax: count(10_000, 'messages'),
    entityBufferedMessagesMax: count(10_000, 'messages'),
    handOffTimeoutMs: milliseconds(seconds(60)),
    stopGraceMs: milliseconds(seconds(3)),
    stopTimeoutMs: milliseconds(seconds(7)),
    handOffsMax: count(32, 'hand-offs'),
    gracefulShutdownTimeoutMs: milliseconds(seconds(6)),
    minMembers: count(1, 'regions'),
    snapshotAfterEvents: count(1_000, 'events'),
    readinessTimeoutMs: milliseconds(seconds(10), { mayBeInfinity: true }),
    rebalanceIntervalMs: milliseconds(seconds(10)),
    rebalanceShardsMax: count(Infinity, 'shards', { mayBeInfinity: true }),
    rebalanceShareMax: share(0.1),
    strategyTimeoutMs: milliseconds(seconds(5)),
    loadReportIntervalMs: milliseconds(seconds(5)),
    queryTimeoutMs: milliseconds(seconds(3)),
    storeTimeoutMs: milliseconds(seconds(30)),
    entityRestartBackoffMs: milliseconds(seconds(10)),
    shardFailureBackoffMs: milliseconds(seconds(10)),
    rememberLoadTimeoutMs: milliseconds(seconds(5)),
    rememberUpdateTimeoutMs: milliseconds(seconds(5)),
    entityRecoveryEntitiesMax: count(Infinity, 'entities', { mayBeInfinity: true }),
    entityRecoveryIntervalMs: milliseconds(100),
    leaseRetryIntervalMs: milliseconds(seconds(5)),
    passivateIdleAfterMs: milliseconds(minutes(2), { mayBeInfinity: true }),
    passivationSweepIntervalMs: milliseconds(minutes(1)),
    passivationTimeoutMs: milliseconds(minutes(1)),
  },
  [
    '{stopGraceMs} must be less than {stopTimeoutMs}, or a command is forced to stop before it was told to end',
    '{stopGraceMs} must be less than {passivationTimeoutMs}, or an entity that shall rest is forced to stop before it was told to end',
    '{stopTimeoutMs} must be less than {handOffTimeoutMs}, or one slow command fails a hand-off',
    '{retryIntervalMs} must be less than {handOffTimeoutMs}, or one lost message fails a hand-off',
    '{gracefulShutdownTimeoutMs} and {actor.handlerStopTimeoutMs} together must be less than {the time of the phase cluster-sharding-shutdown-region}, or a node is not done with its entities in time',
  ],
)

export const defaultShardingSettings = shardingSettingsTable.defaults

/** What was chosen, with defaults for the rest. The sweep follows the idle time unless it was chosen as well. */
export function shardingSettings(chosen: Partial<ShardingSettings> = {}): ShardingSettings {
  const { passivateIdleAfterMs: idle } = chosen
  const sweep =
    idle === undefined || idle === Infinity ? {} : { passivationSweepIntervalMs: idle / 2 }
  return shardingSettingsTable.complete({ ...sweep, ...chosen })
}
