/** What goes into the joining machine and what comes out of it. */
import type { Address, NodeId } from '../../foundation/node-id.ts'
import type { InitJoin, Join, JoiningMessage, Standing, Welcome } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { SharedStore } from './shared-store.ts'

export type JoiningInput =
  /** Join through these, in the order in which all nodes list them. */
  | { readonly type: 'JoinSeeds'; readonly seeds: readonly Address[] }
  /** Join through this node; through one's own address: form a cluster. */
  | { readonly type: 'JoinNode'; readonly address: Address }
  | { readonly type: 'ConnectionRefused'; readonly address: Address }
  /** To try on makes no sense. */
  | { readonly type: 'StopJoining'; readonly problems: readonly string[] }
  | { readonly type: 'Tick' }
  | JoiningMessage
  | Standing

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
  | {
      readonly type: 'GiveUp'
      readonly reason: 'join-failed' | 'incompatible-config'
      readonly problems: readonly string[]
    }

export interface JoiningOptions {
  readonly self: NodeId
  readonly address: Address
  readonly roles: readonly string[]
  readonly appVersion: string
  readonly settings: ClusterSettings
  /** Of a node that hosts entities. */
  readonly store?: SharedStore | undefined
}

export interface JoiningSnapshot {
  readonly phase: 'idle' | 'seeking' | 'asking' | 'done'
  readonly seeds: readonly Address[]
  readonly contact: NodeId | undefined
}
