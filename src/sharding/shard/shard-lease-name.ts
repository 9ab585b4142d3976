/** What the lease of a shard is called, by whatever makes it. */
import type { ShardId } from '../shard-id.ts'
import { entityTypeIn, typeInDataCenter } from '../type-in-data-center.ts'

interface LeasedShard {
  /** The name of the system, which is that of the cluster. */
  readonly system: string
  readonly entityType: string
  readonly shard: ShardId
  readonly dataCenter?: string | undefined
}

export function shardLeaseName({ system, entityType, shard, dataCenter }: LeasedShard): string {
  return `${system}-shard-${typeInDataCenter(entityType, dataCenter)}-${shard}`
}

/** Of any system and data center. */
export function isShardLeaseOf(entityType: string, name: string): boolean {
  const end = name.lastIndexOf('-')
  if (!/^\d+$/.test(name.slice(end + 1))) return false
  return entityTypeIn(name.slice(0, end)).endsWith(`-shard-${entityType}`)
}
