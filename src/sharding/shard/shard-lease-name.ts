/** What the lease of a shard is called, by whatever makes it. */
import type { ShardId } from '../shard-id.ts'

interface LeasedShard {
  /** The name of the system, which is that of the cluster. */
  readonly system: string
  readonly entityType: string
  readonly shard: ShardId
}

export function shardLeaseName({ system, entityType, shard }: LeasedShard): string {
  return `${system}-shard-${entityType}-${shard}`
}

/** Of any system. */
export function isShardLeaseOf(entityType: string, name: string): boolean {
  const end = name.lastIndexOf('-')
  return /^\d+$/.test(name.slice(end + 1)) && name.slice(0, end).endsWith(`-shard-${entityType}`)
}
