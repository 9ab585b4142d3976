/** What goes into the joining machine and what comes out of it. */
import type { Address, NodeId } from '../../foundation/node-id.ts'
import type { InitJoin, Join, JoiningMessage, Standing, Welcome } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { MemberDescription } from '../gossip/member.ts'
import type { SharedStore } from './shared-store.ts'

export type JoiningInput =
  /** Join through these, in the order in which all nodes list them. */
  | { readonly type: 'JoinSeeds'; readonly seeds: readonly Address[] }
  /** Join through this node; through one's own address: form a cluster. */
  | { readonly type: 'JoinNode'; readonly address: Address }
  /** Join through whomever the discovery finds. */
  | { readonly type: 'JoinDiscovered' }
  /** These were found, in place of those before. */
  | { readonly type: 'Contacts'; readonly addresses: readonly Address[] }
  /** Enough of those who were found take this node for the founder. */
  | { readonly type: 'Elected' }
  | NotConnected
  | NotAccepted
  | { readonly type: 'Connected'; readonly address: Address }
  | { readonly type: 'Tick' }
  /** The store names these as members: they are asked like seeds, and decide nothing about the forming of a cluster. */
  | { readonly type: 'Recorded'; readonly addresses: readonly Address[] }
  /** The store lets this node found a cluster after so long at the soonest. */
  | { readonly type: 'MustWait'; readonly ms: number }
  /** The store has given the next founding to this node. */
  | { readonly type: 'Founded' }
  /** The store knows of this node in the cluster that has invited it: it may ask to be let in. */
  | { readonly type: 'Cleared' }
  /** By the store another cluster lives than the one that has invited this node. */
  | { readonly type: 'NotCleared' }
  | JoiningMessage
  | Standing

/** Nobody could be reached at this address; refused: nobody listens there. */
export interface NotConnected {
  readonly type: 'NotConnected'
  readonly address: Address
  readonly isRefused: boolean
  /** For people, about the address. */
  readonly text: string
}

/** This node and whoever lives at this address do not accept each other. */
export interface NotAccepted {
  readonly type: 'NotAccepted'
  readonly address: Address
  readonly code: string
  readonly text: string
}

/** Let in by that member, which has told all it knows. */
export interface Joined extends Pick<Welcome, 'gossip' | 'tombstoneAgesMs' | 'origins'> {
  readonly type: 'Joined'
  readonly through: NodeId
  /** Who founded the cluster. */
  readonly founder: NodeId
}

export type JoiningEffect =
  | { readonly type: 'SendToAddress'; readonly to: Address; readonly message: InitJoin }
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: Join }
  /** There is none to be found by the seeds; `Founded` is awaited, and meanwhile the search goes on. */
  | { readonly type: 'WouldForm' }
  /** A member would let this node in; `Cleared` is awaited. */
  | { readonly type: 'Invited'; readonly founder: NodeId; readonly by: NodeId }
  | { readonly type: 'FormCluster' }
  | Joined
  | StillJoining
  | Disagrees
  | {
      readonly type: 'GiveUp'
      readonly reason: 'join-failed' | 'incompatible-config'
      readonly problems: readonly string[]
    }

/** For people: it takes long, and this is why. */
export interface StillJoining {
  readonly type: 'StillJoining'
  readonly seeds: readonly Address[]
  readonly troubles: readonly string[]
}

/** For people: the settings of this node are not those of the cluster, and it joins all the same. */
export interface Disagrees {
  readonly type: 'Disagrees'
  readonly with: NodeId
  readonly differences: readonly string[]
}

export interface JoiningOptions extends MemberDescription {
  readonly self: NodeId
  readonly address: Address
  readonly settings: ClusterSettings
  /** Of a node that hosts entities. */
  readonly store?: SharedStore | undefined
  /** The store keeps the founding of the cluster: it has a say before this node forms one, or joins. */
  readonly asksStore?: boolean | undefined
}

export interface JoiningSnapshot {
  readonly phase: 'idle' | 'seeking' | 'asking' | 'done'
  /** Besides the node itself. */
  readonly seeds: readonly Address[]
  readonly contact: NodeId | undefined
  /** Why each seed has not let this node in. */
  readonly troubles: readonly string[]
  /** Who should be started when there is no cluster; undefined when that would not help. */
  readonly founder: Address | undefined
}
