/** What lives in the region of one type on this node, as it knows without asking anybody. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Region } from '../region/region.ts'
import type { EntityId } from '../shard-id.ts'
import type { ShardReport } from './reports.ts'

/** Plain data: it survives `JSON.stringify`, and what is not known is not there. */
export interface RegionState {
  readonly entityType: string
  readonly isProxy: boolean
  readonly phase: string
  readonly isFrozen: boolean
  readonly coordinator?: NodeId
  /** Why the coordinator does not let this region take part. */
  readonly refusal?: string
  /** Whether the whole cluster is about to stop, as far as this region has heard. */
  readonly isPreparingForShutdown: boolean
  /** Messages that wait for a home. */
  readonly buffered: number
  /** Of all shards. */
  readonly entities: number
  readonly shards: readonly (ShardReport & { readonly entityIds: readonly EntityId[] })[]
}

export function regionStateOf(region: Region): RegionState {
  const { entityType, isProxy } = region
  const { phase, isFrozen, coordinator, refusal, hosted, buffered, isPreparing } = region.snapshot()
  const shards = hosted.map((each) => {
    const entityIds = region.entityIdsOf(each.shard)
    return { ...each, entities: entityIds.length, entityIds }
  })
  return {
    ...{ entityType, isProxy, phase, isFrozen, buffered },
    ...(coordinator === undefined ? {} : { coordinator }),
    ...(refusal === undefined ? {} : { refusal }),
    isPreparingForShutdown: isPreparing,
    entities: shards.reduce((sum, { entities }) => sum + entities, 0),
    shards,
  }
}
