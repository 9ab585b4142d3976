/** What goes into a region and what comes out of it. `Parcel` is whatever the node routes: entity id, message, reply address. */
import type { RegionDropReason } from '../sharding-drop-reasons.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { ShardId } from '../shard-id.ts'
import type {
  BetweenRegions,
  CurrentRegions,
  GetCurrentRegions,
  GetShardHistory,
  ShardHistory,
  ShardLoads,
  ShardsStopped,
  StopShards,
  ToCoordinator,
  ToRegion,
} from '../sharding-messages.ts'

/** What somebody on this node wants of the coordinator; `ask` is a number of its own. */
export type CoordinatorQuestion =
  | Omit<GetCurrentRegions, 'region'>
  | Omit<GetShardHistory, 'region'>
  | Omit<StopShards, 'region'>

export type CoordinatorAnswer = CurrentRegions | ShardHistory | ShardsStopped

/** `retry` comes again and again, `register` while there is no coordinator, `release` while more waits than one turn sends. */
export type RegionTimer = 'retry' | 'register' | 'release' | 'shutdown'

export type RegionInput<Parcel> =
  | { readonly type: 'Started'; readonly candidates: readonly NodeId[] }
  /** A message sent on this node that found no route. */
  | { readonly type: 'Message'; readonly shard: ShardId; readonly parcel: Parcel }
  | {
      readonly type: 'FromRegion'
      readonly region: NodeId
      readonly message: BetweenRegions<Parcel>
    }
  | { readonly type: 'FromCoordinator'; readonly coordinator: NodeId; readonly message: ToRegion }
  /** Where the coordinator may be: members by age up to the first that is Up. */
  | { readonly type: 'CandidatesChanged'; readonly candidates: readonly NodeId[] }
  /** A node was removed from the cluster: nothing on it lives. */
  | { readonly type: 'NodeRemoved'; readonly node: NodeId }
  /** The stream to a node broke, and nothing waits for the next one: what was under way is lost. */
  | { readonly type: 'AssociationLost'; readonly node: NodeId }
  /** All entities of a local shard have stopped. */
  | {
      readonly type: 'ShardTerminated'
      readonly shard: ShardId
      /** It has failed, and shall be started again then. */
      readonly restartAfterMs?: number | undefined
    }
  /** A local shard takes messages now, or does not. */
  | { readonly type: 'ShardReady'; readonly shard: ShardId; readonly isReady: boolean }
  /** The time after a failure is over. */
  | { readonly type: 'RestartShard'; readonly shard: ShardId }
  /** Somebody on this node wants to know where this shard lives. */
  | { readonly type: 'FindHome'; readonly shard: ShardId }
  /**
   * Hand over what is here, then stop. `isMember`: whether this node is in the cluster and was not given up by it. With
   * `staysForOthers` it says `Emptied` and goes on routing until `OthersEmptied`: entities of other types may call by it.
   */
  | {
      readonly type: 'GracefulShutdown'
      readonly isMember: boolean
      readonly staysForOthers?: boolean
    }
  /** No entity of any type lives on this node any more: nobody is left to route for. */
  | { readonly type: 'OthersEmptied' }
  /** Time is up: stop, whatever was not handed over. */
  | { readonly type: 'EndNow' }
  /** All actors of this node are being stopped, whatever was not handed over. */
  | { readonly type: 'Abandoned' }
  /** What the shards here had to do lately is to be told. */
  | { readonly type: 'ReportLoads'; readonly reports: readonly ShardLoads[] }
  /** Somebody on this node wants to know something of the coordinator; `ask` in it is a number of its own. */
  | { readonly type: 'AskCoordinator'; readonly question: CoordinatorQuestion }
  /** The whole cluster is about to stop: tell the coordinator, until it has confirmed. */
  | { readonly type: 'PrepareForShutdown' }
  | { readonly type: 'Frozen' }
  | { readonly type: 'Thawed' }
  | { readonly type: 'TimerFired'; readonly timer: RegionTimer }

/** About messages on their way. */
export type RoutingEffect<Parcel> =
  /** To the shard on this node. */
  | { readonly type: 'Deliver'; readonly shard: ShardId; readonly parcel: Parcel }
  /** On the ordinary stream, in order with everything else that goes there. */
  | { readonly type: 'SendToPeer'; readonly to: NodeId; readonly message: BetweenRegions<Parcel> }
  | { readonly type: 'Drop'; readonly parcel: Parcel; readonly reason: RegionDropReason }

/** Inside of a region: a question or an answer for the coordinator, wherever it is. */
export interface Tell {
  readonly type: 'Tell'
  readonly message: ToCoordinator
}

export interface StartTimer {
  readonly type: 'StartTimer'
  readonly timer: RegionTimer
  readonly delayMs: number
}

/** Of the routes inside of a region. */
export type RoutesEffect<Parcel> = RoutingEffect<Parcel> | Tell | StartTimer

export type RegionEffect<Parcel> =
  | RoutingEffect<Parcel>
  | HostingEffect
  | { readonly type: 'SendToCoordinator'; readonly to: NodeId; readonly message: ToCoordinator }
  | StartTimer
  /** The coordinator knows this region. Said as often as it is heard. */
  | { readonly type: 'Registered' }
  /** The coordinator does not let this region take part. Said once per problem. */
  | { readonly type: 'Refused'; readonly problem: string }
  /** No coordinator has answered for long. Said once while it searches. */
  | { readonly type: 'Lonely'; readonly asked: readonly NodeId[] }
  /** The answer to `AskCoordinator`. */
  | { readonly type: 'Answer'; readonly answer: CoordinatorAnswer }
  /** The coordinator knows that the whole cluster is about to stop. Said as often as it is heard. */
  | { readonly type: 'Prepared' }
  /** A shard that runs here has another home in a later epoch. */
  | {
      readonly type: 'Superseded'
      readonly shard: ShardId
      readonly epoch: number
      readonly home: NodeId
      readonly laterEpoch: number
    }
  /** Time is up: these shards were not handed over and stop here now; so many messages waited. */
  | {
      readonly type: 'LeftBehind'
      readonly shards: readonly ShardId[]
      readonly buffered: number
    }
  /** Nothing lives here any more, and nothing will; it stays for others. Said once. */
  | { readonly type: 'Emptied' }
  /** The region has nothing left: stop it and all its timers. */
  | { readonly type: 'Finish' }

/** About shards on this node. */
export type HostingEffect =
  | { readonly type: 'StartShard'; readonly shard: ShardId; readonly epoch: number }
  | { readonly type: 'RestartShardLater'; readonly shard: ShardId; readonly delayMs: number }
  /** Stop its entities, then say `ShardTerminated`. `isForced` leaves them no time. */
  | { readonly type: 'StopShard'; readonly shard: ShardId; readonly isForced: boolean }

// ---- the registration at the coordinator

/** A word of a coordinator; `isAnswer` when it has heard of this region before. */
export interface Heard {
  readonly type: 'Heard'
  readonly coordinator: NodeId
  readonly term: number
  readonly isAnswer: boolean
}

export type RegistrationInput =
  | { readonly type: 'CandidatesChanged'; readonly candidates: readonly NodeId[] }
  | Heard
  | { readonly type: 'NodeRemoved'; readonly node: NodeId }
  | { readonly type: 'Acknowledged' }
  /** The steady tick; `isWaiting` when a question has no answer yet. */
  | { readonly type: 'Retry'; readonly isWaiting: boolean }
  /** The fast retry after a search began. */
  | { readonly type: 'RetryFast' }

export type RegistrationEffect = Extract<
  RegionEffect<never>,
  { readonly type: 'SendToCoordinator' | 'StartTimer' | 'Lonely' }
>
