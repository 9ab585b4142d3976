/** What shards of a type do besides hosting entities: remember them, or live under a lease. Made of what the node has. */
import type { Grant } from '../foundation/grant.ts'
import { type Lease, Leases, registerLeases } from '../lease/index.ts'
import type { RegionOptions } from './region/region.ts'
import type { ShardLeaseOptions } from './region-definition.ts'
import { RememberJournal } from './remembering/remember-journal.ts'
import type { RememberStore } from './remembering/remember-store.ts'
import type { RunningTypeOptions } from './running-type.ts'
import type { ShardId } from './shard-id.ts'
import { shardLeaseName } from './shard/shard-lease-name.ts'

/** Undefined for a type whose shards do nothing else. */
export function dutiesOf(options: RunningTypeOptions, dataCenter: string): RegionOptions['duties'] {
  const { rememberEntities, lease } = options.definition
  if (!rememberEntities && lease === undefined) return undefined
  return {
    openStore: rememberEntities
      ? (shard, grant) => openRememberStore(options, { shard, grant, dataCenter })
      : undefined,
    leaseOf: lease && leasesOf(options, lease, dataCenter),
  }
}

interface Remembering {
  readonly shard: ShardId
  readonly grant: Grant | undefined
  readonly dataCenter: string
}

function openRememberStore(options: RunningTypeOptions, which: Remembering): RememberStore {
  const { journal, adviceOnWriter, rememberStore, definition, remoting, system } = options
  const { entityType } = definition
  const given = { entityType, writer: remoting.node, ...which }
  if (rememberStore !== undefined) return rememberStore(given)
  const { timers } = system.environment
  return new RememberJournal({ journal, timers, adviceOnWriter, ...given })
}

function leasesOf(
  { journal, system, remoting, definition }: RunningTypeOptions,
  { implementation, settings }: ShardLeaseOptions,
  dataCenter: string,
): (shard: ShardId) => Lease {
  const leases = new Leases({
    owner: remoting.node,
    implementations: { shards: implementation ?? registerLeases(journal) },
    environment: system.environment,
    ...(settings !== undefined && { settings }),
  })
  const type = { system: system.name, entityType: definition.entityType, dataCenter }
  return (shard) => leases.lease(shardLeaseName({ ...type, shard }))
}
