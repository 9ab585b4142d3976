/** What goes into the cluster machine of a node and what comes out of it. */
import type { Random } from '../foundation/random.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'
import type { ClusterEvent, FreezeReason } from './cluster-events.ts'
import type { ClusterMessage } from './cluster-messages.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { ClusterShutdownReason } from './cluster-shutdown-reason.ts'
import type { DetectionSnapshot } from './detection/detection-inputs.ts'
import type { PauseSnapshot } from './detection/pause-inputs.ts'
import type {
  LookAgain,
  LookAtProcesses,
  ProcessesSeen,
  ProcessWatchSnapshot,
} from './detection/process-watch-inputs.ts'
import type {
  ArbiterAnswered,
  ArbiterIsOver,
  AskArbiter,
  DowningSnapshot,
} from './downing/downing-inputs.ts'
import type { DowningStrategy } from './downing/downing-strategy.ts'
import type { RecordGivenUp, RecordShown, RemovalSnapshot } from './downing/removal-inputs.ts'
import type {
  FoundingAnswer,
  FoundingOptions,
  FoundingSnapshot,
  ReadFounding,
  WaitingToFound,
  WriteFounding,
} from './founding/founding-inputs.ts'
import type { Gossip } from './gossip/gossip.ts'
import type {
  DiscoveryAnswer,
  DiscoveryMachineOptions,
  DiscoverySnapshot,
  LookUp,
} from './joining/discovery/discovery-inputs.ts'
import type {
  Disagrees,
  NotAccepted,
  JoiningSnapshot,
  NotConnected,
  StillJoining,
} from './joining/joining-inputs.ts'
import type { MemberDescription } from './gossip/member.ts'
import type { MembershipSnapshot } from './membership-inputs.ts'
import type { SharedStore } from './joining/shared-store.ts'

export type ClusterInput =
  | { readonly type: 'JoinSeeds'; readonly seeds: readonly Address[] }
  | { readonly type: 'JoinNode'; readonly address: Address }
  | { readonly type: 'JoinDiscovered' }
  | DiscoveryAnswer
  | { readonly type: 'Leave'; readonly node: NodeId }
  | { readonly type: 'Down'; readonly nodes: readonly NodeId[] }
  | { readonly type: 'PrepareForShutdown' }
  | { readonly type: 'ExitingDone' }
  | NotConnected
  | NotAccepted
  /** There is a connection to this node; `latest` is who lives at its address by now, as far as is known. */
  | { readonly type: 'Connected'; readonly node: NodeId; readonly latest: NodeId | undefined }
  /** A connection with this node is no more. */
  | { readonly type: 'ConnectionLost'; readonly node: NodeId }
  | ProcessesSeen
  | { readonly type: 'LookDue' }
  /** A member has given this node up, and told it so. */
  | { readonly type: 'Quarantined'; readonly by: Address }
  /** This node has given that one up: whatever comes, nothing passes between them any more. */
  | { readonly type: 'PeerGivenUp'; readonly node: NodeId }
  /** Comes before every other input, and when there was none for a while: the process may have slept. */
  | { readonly type: 'Look'; readonly wallMs: number }
  /** Every `tickIntervalMs`. */
  | { readonly type: 'Tick' }
  | ArbiterAnswered
  | RecordShown
  | FoundingAnswer
  /** Somebody is about to take a stream over, and waits for a look at the founding that begins now. */
  | { readonly type: 'LookAtFounding' }
  | Received

/** From its sender, whoever that is, and read from the socket at that time. */
export interface Received {
  readonly type: 'Received'
  readonly message: ClusterMessage
  readonly receivedAtMs: number
}

export type ClusterEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: ClusterMessage }
  /** To whoever lives at this address. */
  | { readonly type: 'SendToAddress'; readonly to: Address; readonly message: ClusterMessage }
  | { readonly type: 'Publish'; readonly event: ClusterEvent }
  | AskArbiter
  | LookAtProcesses
  | LookAgain
  /** For people: the process of this member has ended, beyond doubt, and it is given up at once. */
  | { readonly type: 'ProvedDead'; readonly node: NodeId }
  | ArbiterIsOver
  | RecordGivenUp
  | AwaitingStore
  | ReadFounding
  | WriteFounding
  | LookUp
  | StillJoining
  | Disagrees
  | WaitingToFound
  /** Not used; the sender may be of another version, or late. */
  | { readonly type: 'Refuse'; readonly message: ClusterMessage; readonly problem: string }
  /** This node is no member any more. One in quarantine may be alive: it must not be able to speak to us. */
  | { readonly type: 'ForgetPeer'; readonly node: NodeId; readonly isQuarantined: boolean }
  /** Hand over what lives here, then say `ExitingDone`. */
  | { readonly type: 'BeginExiting' }
  | {
      readonly type: 'ShutDown'
      readonly reason: ShutDownReason
      readonly problems: readonly string[]
    }

/** For people: these are given up only when the store has answered, and it does not. */
export interface AwaitingStore {
  readonly type: 'AwaitingStore'
  readonly nodes: readonly NodeId[]
  readonly problem: string
}

export type ShutDownReason = ClusterShutdownReason['type']

/**
 * Who holds the node frozen. `silence`: others against whom it would lose have not answered of late, and
 * may be about to act without us.
 * `doubted`: the node is Exiting and somebody cannot reach it, so that it may be removed unconfirmed.
 */
export type FreezeCause = FreezeReason | 'silence' | 'doubted'

export interface ClusterOptions extends MemberDescription {
  readonly self: NodeId
  readonly settings: ClusterSettings
  readonly strategy: DowningStrategy
  /** Of this process, where others on the host can see by it whether it has ended; it is among the attributes, too. */
  readonly identity?: string | undefined
  /** Of a node that hosts entities. */
  readonly store?: SharedStore | undefined
  /** Given where that store keeps the founding of the cluster. */
  readonly founding?: Pick<FoundingOptions, 'identity'> | undefined
  /** Given where nodes are found, and not listed as seeds. */
  readonly discovery?: Pick<DiscoveryMachineOptions, 'name' | 'requiredNodes'> | undefined
  readonly random: Random
  /** Told of every view that the membership holds; see `ClusterWitness`. */
  readonly viewed?: ((view: Gossip) => void) | undefined
}

export interface ClusterSnapshot extends DetectionSnapshot {
  readonly joining: JoiningSnapshot
  readonly membership: MembershipSnapshot
  readonly downing: DowningSnapshot
  readonly removal: RemovalSnapshot
  readonly pause: PauseSnapshot
  /** Undefined where the system does not tell which process this is, or the setting says not to look. */
  readonly processes: ProcessWatchSnapshot | undefined
  /** Undefined where the store keeps no founding. */
  readonly founding: FoundingSnapshot | undefined
  /** Undefined where seeds are listed. */
  readonly discovery: DiscoverySnapshot | undefined
  readonly frozen: readonly FreezeCause[]
}
