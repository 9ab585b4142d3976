/**
 * What regions, the coordinator and other regions say to each other. One region per node and entity type, so a region is
 * named by its node. Every word about a place carries whose word it is and which life of the shard it is about.
 */
import type { NodeId } from '../foundation/node-id.ts'
import type { HostingRegion, ShardMove } from './inspection/reports.ts'
import type { EntityId, ShardId } from './shard-id.ts'
import type { ShardStop } from './shard-stop.ts'

/** Where a shard is, and how new that is. Whoever has heard something newer ignores it. */
export interface Placement {
  readonly shard: ShardId
  readonly home: NodeId
  /** Grows with every allocation and is stored with it. One epoch is one life of a shard at one home. */
  readonly epoch: number
  /** The coordinator's: of two coordinators only the one with the higher term counts. */
  readonly term: number
  /** Grows within a term with every allocation, and with every hand-off begun or given up. */
  readonly turn: number
}

/** Coordinator -> region: you are registered, and this is whom to ask from now on. */
export interface RegisterAck {
  readonly type: 'RegisterAck'
  readonly term: number
}

/** Coordinator -> region: you cannot take part, and why; said again at every `Register`. */
export interface RegisterRefused {
  readonly type: 'RegisterRefused'
  readonly term: number
  readonly problem: string
}

/** Node of the coordinator -> region: nobody decides here for now, and why; said again at every `Register`. */
export interface CoordinatorTroubled {
  readonly type: 'CoordinatorTroubled'
  readonly problem: string
}

/** Coordinator -> leaving region: nobody else could take your shards, so nothing needs to wait for that. */
export interface NoOtherRegion {
  readonly type: 'NoOtherRegion'
  readonly term: number
}

/** Coordinator -> leaving region: you get no shard any more; whatever was given to you before was told before this. */
export interface GracefulShutdownAck {
  readonly type: 'GracefulShutdownAck'
  readonly term: number
}

/** Coordinator -> region: the regions you asked for, as stored; `ask` is the number of the question. */
export interface CurrentRegions {
  readonly type: 'CurrentRegions'
  readonly term: number
  readonly ask: number
  readonly regions: readonly HostingRegion[]
}

/** Coordinator -> region: homes you may use, many at once. */
export interface ShardHomes {
  readonly type: 'ShardHomes'
  readonly term: number
  readonly homes: readonly Placement[]
}

/** Coordinator -> region: the home you asked for. */
export interface ShardHome extends Placement {
  readonly type: 'ShardHome'
}

/** Coordinator -> home: this shard is yours; repeated until `ShardStarted` or `ShardStopped`. */
export interface HostShard extends Placement {
  readonly type: 'HostShard'
}

/** Coordinator -> every region: stop routing to this shard, buffer instead, and say when nothing is under way. */
export interface BeginHandOff extends Placement {
  readonly type: 'BeginHandOff'
}

/** Coordinator -> home: stop every entity of this shard. */
export interface HandOff extends Placement {
  readonly type: 'HandOff'
}

/** Coordinator -> region: what it knows of the shard you asked about; `ask` is the number of the question. */
export interface ShardHistory {
  readonly type: 'ShardHistory'
  readonly term: number
  readonly ask: number
  readonly shard: ShardId
  readonly home?: NodeId | undefined
  readonly epoch?: number | undefined
  readonly isMoving: boolean
  /** Why the allocation strategy chose that home, in its own words. */
  readonly whyHere?: string | undefined
  /** The last ones that this coordinator has seen, oldest first. */
  readonly moves: readonly ShardMove[]
}

/** Coordinator -> every region: the whole cluster is about to stop, so stop at once when you are told to. */
export interface ShutdownPrepared {
  readonly type: 'ShutdownPrepared'
  readonly term: number
}

/** Coordinator -> region: what became of the shards that you wanted to be stopped; `ask` is the number of the question. */
export interface ShardsStopped {
  readonly type: 'ShardsStopped'
  readonly term: number
  readonly ask: number
  readonly stops: readonly ShardStop[]
}

export type ToRegion =
  | RegisterAck
  | RegisterRefused
  | CoordinatorTroubled
  | NoOtherRegion
  | GracefulShutdownAck
  | CurrentRegions
  | ShardsStopped
  | ShardHomes
  | ShardHome
  | HostShard
  | BeginHandOff
  | HandOff
  | ShardHistory
  | ShutdownPrepared

/** Region -> likely coordinators: here I am; a proxy routes and never hosts. */
export interface Register {
  readonly type: 'Register'
  readonly region: NodeId
  readonly isProxy: boolean
  /** By which it finds the shard of an entity: the same for all, or one entity would be in two shards. */
  readonly numberOfShards: number
  /** It has heard that the whole cluster is about to stop: the next coordinator must know that too. */
  readonly isPreparing?: boolean | undefined
  /** What all regions of a type agree on, as far as it is said: see `TypeIdentity`. */
  readonly extractorId?: string | undefined
  readonly rememberEntities?: boolean | undefined
  readonly role?: string | undefined
  readonly useLease?: boolean | undefined
}

/** Region -> coordinator: which regions host this type? */
export interface GetCurrentRegions {
  readonly type: 'GetCurrentRegions'
  readonly ask: number
  readonly region: NodeId
}

/** Region -> coordinator: stop the entities of these shards; they start again with their next messages. */
export interface StopShards {
  readonly type: 'StopShards'
  readonly ask: number
  readonly region: NodeId
  readonly shards: readonly ShardId[]
}

/** Region -> coordinator: where is this shard? It is given a home if it has none. */
export interface GetShardHome {
  readonly type: 'GetShardHome'
  readonly shard: ShardId
  readonly region: NodeId
}

/** Region -> coordinator: what do you know of this shard? */
export interface GetShardHistory {
  readonly type: 'GetShardHistory'
  readonly ask: number
  readonly shard: ShardId
  readonly region: NodeId
}

/** Region -> likely coordinators: the whole cluster is about to stop; let no shard move any more, and tell all regions. */
export interface PrepareForShutdown {
  readonly type: 'PrepareForShutdown'
  readonly region: NodeId
}

/** Home -> coordinator: this shard takes messages here. */
export interface ShardStarted {
  readonly type: 'ShardStarted'
  readonly shard: ShardId
  readonly epoch: number
  readonly region: NodeId
}

/** Region -> coordinator: nothing more will be routed to this shard from here, and nothing is under way. */
export interface BeginHandOffAck {
  readonly type: 'BeginHandOffAck'
  readonly shard: ShardId
  readonly epoch: number
  readonly term: number
  readonly turn: number
  readonly region: NodeId
}

/** Home -> coordinator: the last entity of this life of the shard has stopped, and it will not start again. */
export interface ShardStopped {
  readonly type: 'ShardStopped'
  readonly shard: ShardId
  readonly epoch: number
  readonly region: NodeId
}

/** Region -> likely coordinators: move my shards elsewhere, and give me no new ones. */
export interface GracefulShutdownReq {
  readonly type: 'GracefulShutdownReq'
  readonly region: NodeId
}

/** Region -> coordinator: the region and all its entities are gone. */
export interface RegionStopped {
  readonly type: 'RegionStopped'
  readonly region: NodeId
}

/**
 * Home -> coordinator, again and again: what each of these shards had to do in the last `durationMs`. Only where the allocation
 * strategy uses it; `bytes` counts what came from other nodes.
 */
export interface ShardLoads {
  readonly type: 'ShardLoads'
  readonly region: NodeId
  readonly durationMs: number
  readonly shards: readonly ShardId[]
  /** In the order of `shards`, as the next. */
  readonly messages: readonly number[]
  readonly bytes: readonly number[]
}

export type ToCoordinator =
  | Register
  | GetCurrentRegions
  | StopShards
  | GetShardHome
  | ShardStarted
  | BeginHandOffAck
  | ShardStopped
  | GracefulShutdownReq
  | RegionStopped
  | ShardLoads
  | GetShardHistory
  | PrepareForShutdown

/** Region -> home, behind everything it has sent by this route: answer when all of that is handled or on its way back. */
export interface Flush {
  readonly type: 'Flush'
  readonly shard: ShardId
  readonly stamp: number
}

/** Home -> region, behind everything it has returned: all that came by this route is settled. */
export interface FlushAck {
  readonly type: 'FlushAck'
  readonly shard: ShardId
  readonly stamp: number
}

/** Region -> home: a message for one of its entities. `stamp` names the sender's route and is for it alone. */
export interface Forwarded<Parcel> {
  readonly type: 'Forwarded'
  readonly shard: ShardId
  readonly stamp: number
  readonly parcel: Parcel
}

/** Region -> region that forwarded them: these cannot be delivered here; in the order in which they came. */
export interface Returned<Parcel> {
  readonly type: 'Returned'
  readonly shard: ShardId
  readonly stamp: number
  readonly parcels: readonly Parcel[]
}

/** Home -> region of whoever asked: the message that carried this question was dropped here, so no answer will come. */
export interface Undelivered {
  readonly type: 'Undelivered'
  readonly entityId: EntityId
  readonly question: unknown
  /** Of the dead letter, which the home has published. */
  readonly reason: string
}

/** Region -> home: start these entities, though no message is for them; said again until all are answered. */
export interface StartEntities {
  readonly type: 'StartEntities'
  readonly shard: ShardId
  readonly ask: number
  readonly entityIds: readonly EntityId[]
}

/** Home -> region: these were started, and are remembered where the type does that; `ask` is the number of the question. */
export interface EntitiesStarted {
  readonly type: 'EntitiesStarted'
  readonly shard: ShardId
  readonly ask: number
  readonly entityIds: readonly EntityId[]
}

/** All on the ordinary stream between two nodes, in one order. */
export type BetweenRegions<Parcel> = Flush | FlushAck | Forwarded<Parcel> | Returned<Parcel>

// ---- looking into regions, whoever asks

/** Node -> region: what lives with you? */
export interface GetRegionReport {
  readonly type: 'GetRegionReport'
  readonly ask: number
  /** Whether ids are wanted beside their number. */
  readonly withIds: boolean
  /** The first shard that is wanted, of some that are told at once. An older node says nothing, and is told all of them. */
  readonly from?: ShardId | undefined
}

/** One shard as its home sees it. */
export interface HostedShard {
  readonly shard: ShardId
  readonly epoch: number
  readonly phase: string
  /** Entities that run, or for which messages wait: as many as there are ids. */
  readonly entities: number
  /** The first of them, where they were asked for. */
  readonly entityIds?: readonly EntityId[] | undefined
  /** Why the shard cannot say how many there are. */
  readonly problem?: string | undefined
}

/** Region -> node that asked: this is what lives here. */
export interface RegionReported {
  readonly type: 'RegionReported'
  readonly ask: number
  readonly isProxy: boolean
  readonly phase: string
  readonly isFrozen: boolean
  /** Messages that wait here for a home. */
  readonly buffered: number
  readonly shards: readonly HostedShard[]
  /** There may be more from this shard on: ask for them. */
  readonly next?: ShardId | undefined
}

/** Node -> home: what do you know of this entity and its shard? */
export interface GetEntityReport {
  readonly type: 'GetEntityReport'
  readonly ask: number
  readonly shard: ShardId
  readonly entityId: EntityId
}

/** Home -> node that asked. Without `epoch` the shard is not here. */
export interface EntityReported {
  readonly type: 'EntityReported'
  readonly ask: number
  readonly phase: string
  readonly epoch?: number | undefined
  readonly isRunning: boolean
  /** Messages in the mailbox of the entity. */
  readonly waiting: number
  /** Messages that wait for the shard at its home. */
  readonly buffered: number
}

export type InspectionMessage = GetRegionReport | RegionReported | GetEntityReport | EntityReported
