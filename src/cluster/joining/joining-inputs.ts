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
  | NotConnected
  | NotAccepted
  | { readonly type: 'Connected'; readonly address: Address }
  | { readonly type: 'Tick' }
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
export interface Joined extends Pick<Welcome, 'gossip' | 'tombstoneAgesMs'> {
  readonly type: 'Joined'
  readonly through: NodeId
}

export type JoiningEffect =
  | { readonly type: 'SendToAddress'; readonly to: Address; readonly message: InitJoin }
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: Join }
  | { readonly type: 'FormCluster' }
  | Joined
  | StillJoining
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

export interface JoiningOptions extends MemberDescription {
  readonly self: NodeId
  readonly address: Address
  readonly settings: ClusterSettings
  /** Of a node that hosts entities. */
  readonly store?: SharedStore | undefined
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
