/**
 * What is known of the load of shards: the mean of what was reported of each, recent reports first. A shard keeps its load when
 * it moves, since its callers move with it.
 */
import type { ShardId } from '../shard-id.ts'
import type { ShardLoads } from '../sharding-messages.ts'
import type { KnownLoads, ShardLoad } from './shard-allocation-strategy.ts'

/** How much the newest report counts; all before it the rest. */
const newestShare = 0.5

export class ReportedLoads {
  #loads = new Map<ShardId, ShardLoad>()
  /** Whether somebody reads it who must not see it change. */
  #isGiven = false

  /** undefined while nothing is known. */
  get known(): KnownLoads | undefined {
    if (this.#loads.size === 0) return undefined
    this.#isGiven = true
    return this.#loads
  }

  /** `isHome`: whether the reporter still is the home of a shard. */
  note({ shards, messages, bytes, durationMs }: ShardLoads, isHome: (shard: ShardId) => boolean) {
    if (durationMs <= 0) return
    if (this.#isGiven) this.#loads = new Map(this.#loads)
    this.#isGiven = false
    const seconds = durationMs / 1_000
    for (const [index, shard] of shards.entries()) {
      if (!isHome(shard)) continue
      const before = this.#loads.get(shard)
      this.#loads.set(shard, {
        messagesPerSecond: mixed(before?.messagesPerSecond, (messages[index] ?? 0) / seconds),
        bytesPerSecond: mixed(before?.bytesPerSecond, (bytes[index] ?? 0) / seconds),
      })
    }
  }
}

function mixed(before: number | undefined, newest: number): number {
  return before === undefined ? newest : before + (newest - before) * newestShare
}
