/**
 * What the shards of one region have to do, counted since the last report. A count per message is all that it costs, and only
 * where the allocation strategy of the type uses it.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type { ShardLoads } from '../sharding-messages.ts'

/** Keeps one message small enough for any frame. */
export const shardsPerReportMax = 500

export class ShardLoadCounts {
  /** By shard. Whoever delivers a message adds one here. */
  readonly messages: Float64Array
  readonly bytes: Float64Array
  /** Shards that have come since the last report: what waited for them is no measure of what they have to do. */
  readonly #fresh = new Set<ShardId>()
  #sinceMs: number

  constructor(numberOfShards: number, nowMs: number) {
    this.messages = new Float64Array(numberOfShards)
    this.bytes = new Float64Array(numberOfShards)
    this.#sinceMs = nowMs
  }

  started(shard: ShardId): void {
    this.#fresh.add(shard)
  }

  /** Of these shards, which are here; from now on it counts anew. Several reports when they are many. */
  take(shards: readonly ShardId[], region: NodeId, nowMs: number): ShardLoads[] {
    const durationMs = Math.round(nowMs - this.#sinceMs)
    const known = durationMs > 0 ? shards.filter((shard) => !this.#fresh.has(shard)) : []
    const reports: ShardLoads[] = []
    for (let first = 0; first < known.length; first += shardsPerReportMax) {
      const part = known.slice(first, first + shardsPerReportMax)
      reports.push({
        ...{ type: 'ShardLoads', region, durationMs, shards: part },
        messages: part.map((shard) => this.messages[shard] ?? 0),
        bytes: part.map((shard) => this.bytes[shard] ?? 0),
      })
    }
    this.#fresh.clear()
    this.messages.fill(0)
    this.bytes.fill(0)
    this.#sinceMs = nowMs
    return reports
  }
}
