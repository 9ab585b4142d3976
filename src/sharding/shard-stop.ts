/** The answer to `stopShards`, for each shard. */
import type { ShardId } from './shard-id.ts'

/** What became of one shard that somebody wanted to be stopped. */
export interface ShardStop {
  readonly shard: ShardId
  readonly outcome: 'stopped' | 'not-running' | 'timed-out' | 'refused'
  /** Why it was refused, or has not stopped. */
  readonly reason?: string | undefined
}
