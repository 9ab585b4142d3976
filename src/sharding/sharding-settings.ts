/** What can be tuned about sharding, and what each choice costs. One such set per entity type. */
import { minutes, seconds } from '../foundation/duration.ts'
import { unknownSettings } from '../foundation/invalid-settings.ts'

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
  /** Hand-offs under way at once. More empties a leaving node sooner and stops more entities at one moment. */
  readonly handOffsMax: number
  /** How long a leaving region waits for its shards to move before it stops them itself. */
  readonly gracefulShutdownTimeoutMs: number
  /** How often the balance is looked at. Shorter fills new nodes sooner and moves shards more often. */
  readonly rebalanceIntervalMs: number
  /** Shards moved in one round, at most. */
  readonly rebalanceShardsMax: number
  /** Fraction of all shards moved in one round, at most; one shard always may. */
  readonly rebalanceShareMax: number
  /** How long an allocation strategy may think; then the default strategy decides in its place. */
  readonly strategyTimeoutMs: number
  /** How long the coordinator waits for the store; then it gives up, and the next one tries again. */
  readonly storeTimeoutMs: number
  /** Idle time after which an entity is stopped; its next message starts it again. Infinity keeps it for ever. */
  readonly passivateIdleAfterMs: number
  /** How often a shard looks for idle entities. They are stopped late by up to this long. */
  readonly passivationSweepIntervalMs: number
  /** How long an entity may take to stop when passivated before it is forced to. */
  readonly passivationTimeoutMs: number
}

export const defaultShardingSettings: ShardingSettings = {
  numberOfShards: 128,
  retryIntervalMs: seconds(2),
  bufferedMessagesMax: 100_000,
  mailboxMessagesMax: 10_000,
  entityBufferedMessagesMax: 10_000,
  handOffTimeoutMs: seconds(60),
  stopGraceMs: seconds(3),
  stopTimeoutMs: seconds(7),
  handOffsMax: 32,
  gracefulShutdownTimeoutMs: seconds(6),
  rebalanceIntervalMs: seconds(10),
  rebalanceShardsMax: 20,
  rebalanceShareMax: 0.1,
  strategyTimeoutMs: seconds(5),
  storeTimeoutMs: seconds(30),
  passivateIdleAfterMs: minutes(2),
  passivationSweepIntervalMs: minutes(1),
  passivationTimeoutMs: minutes(1),
}

/** What was chosen, with defaults for the rest. The sweep follows the idle time unless it was chosen as well. */
export function shardingSettings(chosen: Partial<ShardingSettings> = {}): ShardingSettings {
  const { passivateIdleAfterMs: idle } = chosen
  const sweep =
    idle === undefined || idle === Infinity ? {} : { passivationSweepIntervalMs: idle / 2 }
  return { ...defaultShardingSettings, ...sweep, ...chosen }
}

const durations: readonly (keyof ShardingSettings)[] = [
  'retryIntervalMs',
  'handOffTimeoutMs',
  'stopGraceMs',
  'stopTimeoutMs',
  'gracefulShutdownTimeoutMs',
  'rebalanceIntervalMs',
  'strategyTimeoutMs',
  'storeTimeoutMs',
  'passivationSweepIntervalMs',
  'passivationTimeoutMs',
]

const counts: readonly (keyof ShardingSettings)[] = [
  'numberOfShards',
  'bufferedMessagesMax',
  'mailboxMessagesMax',
  'entityBufferedMessagesMax',
  'handOffsMax',
  'rebalanceShardsMax',
]

/** What a hand-over must be done within, and what it takes besides. */
export interface RegionShutdownLimits {
  /** The time of the phase `cluster-sharding-shutdown-region`. */
  readonly phaseMs: number
  /** How long an entity that is forced to stop waits for its async handler. */
  readonly handlerStopTimeoutMs: number
}

/** Every problem at once, in words for the person who set it; empty when all is well. */
export function problemsWithShardingSettings(
  settings: ShardingSettings,
  limits: RegionShutdownLimits,
): string[] {
  const problems = unknownSettings(settings, defaultShardingSettings)
  for (const name of durations) {
    const value = settings[name]
    if (!(value > 0 && value < Infinity)) problems.push(`${name} must be positive, not ${value}`)
  }
  for (const name of counts) {
    const value = settings[name]
    if (Number.isSafeInteger(value) && value >= 1) continue
    problems.push(`${name} must be a whole number of at least 1, not ${value}`)
  }
  const { rebalanceShareMax: fraction, passivateIdleAfterMs: idle } = settings
  if (!(fraction > 0 && fraction <= 1)) {
    problems.push(`rebalanceShareMax must be above 0 and at most 1, not ${fraction}`)
  }
  if (!(idle > 0)) problems.push(`passivateIdleAfterMs must be positive, not ${idle}`)
  return [...problems, ...problemsTogether(settings, limits)]
}

function problemsTogether(settings: ShardingSettings, limits: RegionShutdownLimits): string[] {
  const { handOffTimeoutMs, stopGraceMs, stopTimeoutMs, retryIntervalMs } = settings
  const problems: string[] = []
  if (stopGraceMs >= stopTimeoutMs) {
    problems.push(
      `stopGraceMs (${stopGraceMs}) must be less than stopTimeoutMs (${stopTimeoutMs}), or a command is forced to stop before it was told to end`,
    )
  }
  if (stopTimeoutMs >= handOffTimeoutMs) {
    problems.push(
      `stopTimeoutMs (${stopTimeoutMs}) must be less than handOffTimeoutMs (${handOffTimeoutMs}), or one slow command fails a hand-off`,
    )
  }
  if (retryIntervalMs >= handOffTimeoutMs) {
    problems.push(
      `retryIntervalMs (${retryIntervalMs}) must be less than handOffTimeoutMs (${handOffTimeoutMs}), or one lost message fails a hand-off`,
    )
  }
  const { gracefulShutdownTimeoutMs } = settings
  const { phaseMs, handlerStopTimeoutMs } = limits
  if (gracefulShutdownTimeoutMs + handlerStopTimeoutMs >= phaseMs) {
    problems.push(
      `gracefulShutdownTimeoutMs (${gracefulShutdownTimeoutMs}) and actor.handlerStopTimeoutMs (${handlerStopTimeoutMs}) together must be less than the ${phaseMs} ms of the phase cluster-sharding-shutdown-region, or a node is not done with its entities in time`,
    )
  }
  return problems
}
