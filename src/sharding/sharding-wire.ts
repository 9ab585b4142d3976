/**
 * The messages of one entity type as they stand on the wire and in the journal. What a peer sent, or what was stored, is
 * checked here before a machine sees it; shards are checked against the number that this node knows.
 */
import {
  isAnything,
  isCount,
  isFlag,
  isText,
  listOf,
  maybe,
  oneOf,
  recordOf,
  type Shape,
} from '../foundation/shape.ts'
import { problemWithId } from '../foundation/text.ts'
import { isNodeId } from '../foundation/node-id.ts'
import { MessageProtocol } from '../serialization/internals.ts'
import type { CoordinatorEvent, StateSummed } from './coordinator/coordinator-state.ts'
import { type EntityId, entityIdBytesMax, isShardId } from './shard-id.ts'
import type { BetweenRegions, ToCoordinator, ToRegion, Undelivered } from './sharding-messages.ts'

/** A message on its way back to where it came from. */
export interface ReturnedParcel {
  readonly entityId: EntityId
  readonly message: unknown
}

/** `Forwarded` travels as the bare message, to a path that says the rest. */
export type BetweenPeers =
  | Exclude<BetweenRegions<ReturnedParcel>, { readonly type: 'Forwarded' }>
  | Undelivered

export interface ShardingProtocol {
  readonly toRegion: MessageProtocol<ToRegion>
  readonly toCoordinator: MessageProtocol<ToCoordinator>
  readonly betweenPeers: MessageProtocol<BetweenPeers>
  readonly stored: MessageProtocol<CoordinatorEvent | StateSummed>
}

const isStopOutcome: Shape = oneOf('stopped', 'not-running', 'timed-out', 'refused')

export function shardingProtocol(numberOfShards: number): ShardingProtocol {
  const shard: Shape = (value) => isShardId(value as number, numberOfShards)
  return {
    toRegion: toRegion(shard),
    toCoordinator: toCoordinator(shard),
    betweenPeers: betweenPeers(shard),
    stored: storedProtocol(),
  }
}

/** Whether its shards are of the number that this node knows is for its reader to say: it may be the node that is wrong. */
export function storedProtocol(): ShardingProtocol['stored'] {
  const shard: Shape = isCount
  const region: Shape = isNodeId
  const registered = { region, isProxy: isFlag, numberOfShards: maybe(isCount) }
  const lives = listOf(recordOf({ shard, epoch: isCount }))
  return new MessageProtocol('sharding', {
    RegionRegistered: kind('RegionRegistered', registered),
    RegionTerminated: kind('RegionTerminated', { region }),
    ShardAllocated: kind('ShardAllocated', { shard, home: isNodeId, epoch: isCount }),
    ShardDeallocated: kind('ShardDeallocated', { shard, epoch: isCount }),
    StateSummed: kind('StateSummed', {
      ...{ lastEpoch: isCount, numberOfShards: maybe(isCount), homeless: listOf(shard) },
      regions: listOf(recordOf({ ...registered, shards: lives })),
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
  })
}

function toCoordinator(shard: Shape): MessageProtocol<ToCoordinator> {
  const region: Shape = isNodeId
  const life = { shard, epoch: isCount, region }
  const identity = {
    ...{ extractorId: maybe(isText), rememberEntities: maybe(isFlag) },
    ...{ role: maybe(isText), useLease: maybe(isFlag) },
  }
  return new MessageProtocol('sharding', {
    Register: kind(
      'Register',
      { region, isProxy: isFlag, numberOfShards: isCount, ...identity },
      2,
    ),
    StopShards: kind('StopShards', { ask: isCount, region, shards: listOf(shard) }),
    GetCurrentRegions: kind('GetCurrentRegions', { ask: isCount, region }),
    GetShardHome: kind('GetShardHome', { shard, region }),
    ShardStarted: kind('ShardStarted', life),
    BeginHandOffAck: kind('BeginHandOffAck', { ...life, term: isCount, turn: isCount }),
    ShardStopped: kind('ShardStopped', life),
    GracefulShutdownReq: kind('GracefulShutdownReq', { region }),
    RegionStopped: kind('RegionStopped', { region }),
  })
}

function betweenPeers(shard: Shape): MessageProtocol<BetweenPeers> {
  const route = { shard, stamp: isCount }
  const entityId: Shape = (value) => problemWithId(value, entityIdBytesMax) === undefined
  const parcel = recordOf({ entityId, message: isAnything })
  return new MessageProtocol('sharding', {
    Flush: kind('Flush', route),
    FlushAck: kind('FlushAck', route),
    Returned: kind('Returned', { ...route, parcels: listOf(parcel) }),
    Undelivered: kind('Undelivered', { entityId, question: isAnything, reason: isText }),
  })
}

function kind(type: string, fields: Readonly<Record<string, Shape>>, version = 1) {
  return { version, fields: { type: oneOf(type), ...fields } }
}
