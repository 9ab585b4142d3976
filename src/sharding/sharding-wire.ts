/**
 * The messages of one entity type as they stand on the wire and in the journal. What a peer sent, or what was stored, is
 * checked here before a machine sees it; shards are checked against the number that this node knows.
 */
import {
  isAnything,
  isCount,
  isFlag,
  isNumber,
  isText,
  listOf,
  maybe,
  oneOf,
  recordOf,
  type Shape,
} from '../foundation/shape.ts'
import { problemWithId } from '../foundation/text.ts'
import { isAddress, isNodeId } from '../foundation/node-id.ts'
import { MessageProtocol } from '../serialization/internals.ts'
import type { StoredShardLocations } from './allocation/shard-locations.ts'
import type { CoordinatorEvent, StateSummed } from './coordinator/coordinator-state.ts'
import { shardsPerReportMax } from './region/shard-load-counts.ts'
import { type EntityId, entityIdBytesMax, isShardId } from './shard-id.ts'
import type { ShardMoveReason } from './inspection/reports.ts'
import type {
  BetweenRegions,
  InspectionMessage,
  EntitiesStarted,
  StartEntities,
  ToCoordinator,
  ToRegion,
  Undelivered,
} from './sharding-messages.ts'

/** A message on its way back to where it came from. */
export interface ReturnedParcel {
  readonly entityId: EntityId
  readonly message: unknown
}

/** `Forwarded` travels as the bare message, to a path that says the rest. */
export type BetweenPeers =
  | Exclude<BetweenRegions<ReturnedParcel>, { readonly type: 'Forwarded' }>
  | Undelivered
  | StartEntities
  | EntitiesStarted

export interface ShardingProtocol {
  readonly toRegion: MessageProtocol<ToRegion>
  readonly toCoordinator: MessageProtocol<ToCoordinator>
  readonly betweenPeers: MessageProtocol<BetweenPeers>
  readonly inspection: MessageProtocol<InspectionMessage>
  readonly stored: MessageProtocol<CoordinatorEvent | StateSummed>
}

/** Entities that are started by one message. */
export const startedIdsMax = 1_000
const isStopOutcome: Shape = oneOf('stopped', 'not-running', 'timed-out', 'refused')

export function shardingProtocol(numberOfShards: number): ShardingProtocol {
  const shard: Shape = (value) => isShardId(value as number, numberOfShards)
  return {
    toRegion: toRegion(shard),
    toCoordinator: toCoordinator(shard),
    betweenPeers: betweenPeers(shard),
    inspection: inspection(shard),
    stored: storedProtocol(),
  }
}

/** Whether its shards are of the number that this node knows is for its reader to say: it may be the node that is wrong. */
export function storedProtocol(): ShardingProtocol['stored'] {
  const shard: Shape = isCount
  const region: Shape = isNodeId
  const registered = { region, isProxy: isFlag, numberOfShards: maybe(isCount) }
  const lives = listOf(recordOf({ shard, epoch: isCount, why: maybe(isCount) }))
  return new MessageProtocol('sharding', {
    RegionRegistered: kind('RegionRegistered', registered),
    RegionTerminated: kind('RegionTerminated', { region }),
    ShardAllocated: kind('ShardAllocated', {
      ...{ shard, home: isNodeId, epoch: isCount, why: maybe(isText) },
    }),
    ShardDeallocated: kind('ShardDeallocated', { shard, epoch: isCount }),
    StateSummed: kind('StateSummed', {
      ...{ lastEpoch: isCount, numberOfShards: maybe(isCount), homeless: listOf(shard) },
      regions: listOf(recordOf({ ...registered, shards: lives })),
      whys: maybe(listOf(isText)),
    }),
  })
}

function toRegion(shard: Shape): MessageProtocol<ToRegion> {
  const placement = { shard, home: isNodeId, epoch: isCount, term: isCount, turn: isCount }
  return new MessageProtocol('sharding', {
    RegisterAck: kind('RegisterAck', { term: isCount }),
    RegisterRefused: kind('RegisterRefused', { term: isCount, problem: isText }),
    CoordinatorTroubled: kind('CoordinatorTroubled', { problem: isText }),
    NoOtherRegion: kind('NoOtherRegion', { term: isCount }),
    GracefulShutdownAck: kind('GracefulShutdownAck', { term: isCount }),
    CurrentRegions: kind('CurrentRegions', {
      ...{ term: isCount, ask: isCount },
      regions: listOf(recordOf({ region: isNodeId, shards: listOf(shard) })),
    }),
    ShardsStopped: kind('ShardsStopped', {
      ...{ term: isCount, ask: isCount },
      stops: listOf(recordOf({ shard, outcome: isStopOutcome, reason: maybe(isText) })),
    }),
    ShardHomes: kind('ShardHomes', { term: isCount, homes: listOf(recordOf(placement)) }),
    ShardHome: kind('ShardHome', placement),
    HostShard: kind('HostShard', placement),
    BeginHandOff: kind('BeginHandOff', placement),
    HandOff: kind('HandOff', placement),
    ShardHistory: kind('ShardHistory', {
      ...{ term: isCount, ask: isCount, shard, home: maybe(isNodeId), epoch: maybe(isCount) },
      ...{ isMoving: isFlag, whyHere: maybe(isText), moves: listOf(recordOf(move), 100) },
    }),
    ShutdownPrepared: kind('ShutdownPrepared', { term: isCount }),
  })
}

const move = {
  ...{ from: maybe(isNodeId), to: isNodeId, epoch: isCount, agoMs: isNumber },
  why: oneOf(...(['first-use', 'rebalance', 'leaving', 'home-gone'] satisfies ShardMoveReason[])),
}

function toCoordinator(shard: Shape): MessageProtocol<ToCoordinator> {
  const region: Shape = isNodeId
  const life = { shard, epoch: isCount, region }
  const identity = {
    ...{ extractorId: maybe(isText), rememberEntities: maybe(isFlag) },
    ...{ role: maybe(isText), useLease: maybe(isFlag) },
  }
  const counted = { region, isProxy: isFlag, numberOfShards: isCount }
  const registered = { ...counted, ...identity, isPreparing: maybe(isFlag) }
  return new MessageProtocol('sharding', {
    Register: kind('Register', registered, 2),
    StopShards: kind('StopShards', { ask: isCount, region, shards: listOf(shard) }),
    GetCurrentRegions: kind('GetCurrentRegions', { ask: isCount, region }),
    GetShardHome: kind('GetShardHome', { shard, region }),
    ShardStarted: kind('ShardStarted', life),
    BeginHandOffAck: kind('BeginHandOffAck', { ...life, term: isCount, turn: isCount }),
    ShardStopped: kind('ShardStopped', life),
    GracefulShutdownReq: kind('GracefulShutdownReq', { region }),
    RegionStopped: kind('RegionStopped', { region }),
    ShardLoads: kind('ShardLoads', {
      ...{ region, durationMs: isCount, shards: listOf(shard, shardsPerReportMax) },
      ...{
        messages: listOf(isCount, shardsPerReportMax),
        bytes: listOf(isCount, shardsPerReportMax),
      },
    }),
    GetShardHistory: kind('GetShardHistory', { ask: isCount, shard, region }),
    PrepareForShutdown: kind('PrepareForShutdown', { region }),
  })
}

function betweenPeers(shard: Shape): MessageProtocol<BetweenPeers> {
  const route = { shard, stamp: isCount }
  const entityId: Shape = (value) => problemWithId(value, entityIdBytesMax) === undefined
  const parcel = recordOf({ entityId, message: isAnything })
  const starts = { shard, ask: isCount, entityIds: listOf(entityId, startedIdsMax) }
  return new MessageProtocol('sharding', {
    Flush: kind('Flush', route),
    FlushAck: kind('FlushAck', route),
    Returned: kind('Returned', { ...route, parcels: listOf(parcel) }),
    StartEntities: kind('StartEntities', starts),
    EntitiesStarted: kind('EntitiesStarted', starts),
    Undelivered: kind('Undelivered', { entityId, question: isAnything, reason: isText }),
  })
}

function inspection(shard: Shape): MessageProtocol<InspectionMessage> {
  const entityId: Shape = (value) => problemWithId(value, entityIdBytesMax) === undefined
  const hosted = {
    ...{ shard, epoch: isCount, phase: isText, entities: isCount },
    ...{ entityIds: maybe(listOf(entityId)), problem: maybe(isText) },
  }
  return new MessageProtocol('sharding', {
    GetRegionReport: kind('GetRegionReport', {
      ...{ ask: isCount, withIds: isFlag, from: maybe(shard) },
    }),
    RegionReported: kind('RegionReported', {
      ...{ ask: isCount, isProxy: isFlag, phase: isText, isFrozen: isFlag, buffered: isCount },
      ...{ shards: listOf(recordOf(hosted)), next: maybe(shard) },
    }),
    GetEntityReport: kind('GetEntityReport', { ask: isCount, shard, entityId }),
    EntityReported: kind('EntityReported', {
      ...{ ask: isCount, phase: isText, epoch: maybe(isCount), isRunning: isFlag },
      ...{ waiting: isCount, buffered: isCount },
    }),
  })
}

/** Places of shards that somebody has pinned, as they stand in a register. */
export function shardLocationsProtocol(): MessageProtocol<StoredShardLocations> {
  return new MessageProtocol('sharding', {
    StoredShardLocations: kind('StoredShardLocations', {
      nodes: listOf(recordOf({ address: isAddress, shards: listOf(isCount) })),
    }),
  })
}

function kind(type: string, fields: Readonly<Record<string, Shape>>, version = 1) {
  return { version, fields: { type: oneOf(type), ...fields } }
}
