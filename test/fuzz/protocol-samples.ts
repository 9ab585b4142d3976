/** One good message of every kind that the runtime's rooms send each other. */
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import { projectionProtocol } from '../../src/projection/projection-wire.ts'
import { NotAMessage } from '../../src/serialization/internals.ts'
import { shardingProtocol, shardLocationsProtocol } from '../../src/sharding/sharding-wire.ts'
import { rememberedProtocol } from '../../src/sharding/remembering/remembered-wire.ts'
import { singletonProtocol } from '../../src/singleton/singleton-wire.ts'

/** Of whatever messages. */
interface Protocol {
  readonly wireNames: readonly string[]
  unpack(value: unknown): unknown
}

const a = '10.0.0.1:2552#0000000000000001'
const b = '10.0.0.2:2552#00000000000000ff'

const gossip = {
  members: [
    {
      ...{ node: a, status: 'Up', roles: ['back', 'front'], attributes: ['host of Game'] },
      ...{ appVersion: '1.2.3', upNumber: 1 },
    },
    {
      ...{ node: b, status: 'Leaving', roles: [], attributes: [] },
      ...{ appVersion: '2.0.0-rc.1+4f', upNumber: 2 },
    },
  ],
  seen: [a],
  reachability: [
    { observer: a, version: 3, rows: [{ subject: b, status: 'Unreachable', version: 3 }] },
  ],
  version: [
    [a, 5],
    [b, 1],
  ],
  tombstones: ['10.0.0.3:2552#0000000000000003'],
  lastUpNumber: 3,
  isEnding: false,
}

const c = '10.0.0.3:2552#0000000000000003'
const summary = [2 ** 51 + 1, 7, [4_000_000_000, 5], Uint8Array.of(2, 1, 0)]
const origins = [[a], [0, 1], [[1, 0, 5]], [[a, [0, 3]]], [[c, [0, 2]]], []]
const news = [
  [a],
  [{ roles: ['back'], attributes: ['host of Game'], appVersion: '1.2.3' }],
  [[b, 'Leaving', 2, 0, [0, 5]]],
  [[a, 3, [[b, false, 3]], [0, 3]]],
  [[c, [0, 2]]],
  [],
  3,
  true,
]

const sharding = shardingProtocol(100)
const placement = { shard: 7, home: a, epoch: 3, term: 1_048_576, turn: 2 }
const life = { shard: 7, epoch: 3, region: b }
const signed = { from: a, term: 1_048_577 }

/** Fields by type, per protocol. */
const tables: readonly (readonly [string, Protocol, Readonly<Record<string, object>>])[] = [
  [
    'cluster',
    clusterProtocol,
    {
      InitJoin: { from: a, agreement: { downing: 'keep-majority', shards: '1000' } },
      InitJoinAck: {
        ...{ from: a, problems: ['other store'], differences: ['other downing'], founder: a },
      },
      InitJoinNack: { from: a, isEnding: true, founder: '10.0.0.2:2552' },
      Join: { from: a, roles: ['back'], attributes: ['host of Game'], appVersion: '1.2.3' },
      Welcome: { from: a, gossip, tombstoneAgesMs: [86_400_000], origins },
      GossipStatus: { from: a, to: b, summary, isLost: false },
      GossipNews: { from: a, to: b, summary, since: [4_000_000_000, 4], news, answers: 5 },
      GossipEnvelope: { from: a, to: b, gossip },
      ExitingConfirmed: { from: a },
      Heartbeat: { from: a, sequence: 9 },
      HeartbeatResponse: { from: a, sequence: 9 },
      GetStanding: { from: a, question: 1 },
      Standing: { from: a, question: 1, standing: 'down' },
    },
  ],
  [
    'sharding',
    sharding.toRegion,
    {
      RegisterAck: { term: 4 },
      RegisterRefused: { term: 4, problem: 'its numberOfShards is 3' },
      CoordinatorTroubled: { problem: 'the disk is full' },
      NoOtherRegion: { term: 4 },
      GracefulShutdownAck: { term: 4 },
      CurrentRegions: { term: 4, ask: 1, regions: [{ region: a, shards: [1, 2] }] },
      ShardsStopped: {
        ...{ term: 4, ask: 1 },
        stops: [{ shard: 1, outcome: 'timed-out', reason: 'it is slow' }],
      },
      ShardHomes: { term: 4, homes: [placement, placement] },
      ShardHome: placement,
      HostShard: placement,
      BeginHandOff: placement,
      HandOff: placement,
      ShardHistory: {
        ...{ term: 4, ask: 1, shard: 7, home: a, epoch: 3, isMoving: false, whyHere: 'fewest' },
        moves: [{ from: b, to: a, epoch: 3, why: 'rebalance', agoMs: 1_500 }],
      },
      ShutdownPrepared: { term: 4 },
    },
  ],
  [
    'sharding',
    sharding.toCoordinator,
    {
      Register: { region: a, isProxy: false, numberOfShards: 8 },
      GetCurrentRegions: { ask: 1, region: a },
      StopShards: { ask: 1, region: a, shards: [1, 2] },
      GetShardHome: { shard: 1, region: a },
      ShardStarted: life,
      BeginHandOffAck: { ...life, term: 4, turn: 5 },
      ShardStopped: life,
      GracefulShutdownReq: { region: a },
      RegionStopped: { region: a },
      ShardLoads: {
        region: a,
        durationMs: 5_000,
        shards: [1, 7],
        messages: [9, 0],
        bytes: [64, 0],
      },
      GetShardHistory: { ask: 1, shard: 7, region: a },
      PrepareForShutdown: { region: a },
    },
  ],
  [
    'sharding',
    sharding.betweenPeers,
    {
      Flush: { shard: 1, stamp: 2 },
      FlushAck: { shard: 1, stamp: 2 },
      Returned: { shard: 1, stamp: 2, parcels: [{ entityId: 'cart-1', message: { add: 1 } }] },
      StartEntities: { shard: 1, ask: 2, entityIds: ['cart-1', 'cart-2'] },
      EntitiesStarted: { shard: 1, ask: 2, entityIds: ['cart-1'] },
      Undelivered: { entityId: 'cart-1', question: 'its address', reason: 'entity-buffer-full' },
    },
  ],
  [
    'sharding',
    sharding.inspection,
    {
      GetRegionReport: { ask: 1, withIds: true, from: 6 },
      RegionReported: {
        ...{ ask: 1, isProxy: false, phase: 'serving', isFrozen: false, buffered: 2 },
        shards: [{ shard: 7, epoch: 3, phase: 'running', entities: 1, entityIds: ['cart-1'] }],
        next: 8,
      },
      GetEntityReport: { ask: 1, shard: 7, entityId: 'cart-1' },
      EntityReported: {
        ...{ ask: 1, phase: 'running', epoch: 3, isRunning: true, waiting: 0, buffered: 0 },
      },
    },
  ],
  [
    'sharding',
    sharding.stored,
    {
      RegionRegistered: { region: a, isProxy: true },
      RegionTerminated: { region: a },
      ShardAllocated: { shard: 1, home: a, epoch: 1 },
      ShardDeallocated: { shard: 1, epoch: 1 },
      StateSummed: {
        lastEpoch: 7,
        homeless: [2],
        regions: [
          { region: a, isProxy: false, numberOfShards: 8, shards: [{ shard: 1, epoch: 7 }] },
        ],
      },
    },
  ],
  [
    'sharding',
    shardLocationsProtocol(),
    { StoredShardLocations: { nodes: [{ address: '10.0.0.1:2552', shards: [1, 7] }] } },
  ],
  [
    'sharding',
    rememberedProtocol(),
    {
      EntitiesRemembered: { ids: ['cart-1', 'cart-2'] },
      EntitiesForgotten: { ids: ['cart-1'] },
    },
  ],
  [
    'singleton',
    singletonProtocol,
    {
      HandOverToMe: signed,
      HandOverInProgress: signed,
      HandOverDone: signed,
      WhereIsInstance: signed,
      InstanceStops: signed,
    },
  ],
  [
    'projection',
    projectionProtocol,
    {
      KeepRange: {},
      RangeReset: { problem: 'the disk is full' },
      ProjectionRanges: {
        ranges: [
          {
            ...{ range: 3, node: a, place: '["17"]', handled: 12, skipped: 1, behindMs: 20 },
            ...{ failing: 'no table', isStopped: false },
          },
        ],
      },
    },
  ],
]

export interface ProtocolSample {
  readonly protocol: Protocol
  readonly packed: readonly [wireName: string, message: object]
}

export const protocolSamples: readonly ProtocolSample[] = tables.flatMap(
  ([room, protocol, table]) =>
    Object.entries(table).map(([type, fields]): ProtocolSample => {
      const isThis = (name: string) => name.startsWith(`${room}.${type}@`)
      const wireName = protocol.wireNames.find(isThis) ?? type
      const packed = [wireName, { type, ...fields }] as const
      const unpacked: unknown = protocol.unpack(packed)
      if (unpacked instanceof NotAMessage) throw new Error(`${packed[0]}: ${unpacked.problem}`)
      return { protocol, packed }
    }),
)
