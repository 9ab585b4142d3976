/** What goes into the discovery machine and what comes out of it. */
import type { Address, NodeId } from '../../../foundation/node-id.ts'
import type { InitJoin, InitJoinNack } from '../../cluster-messages.ts'
import type { ClusterSettings } from '../../cluster-settings.ts'
import type { NotConnected } from '../joining-inputs.ts'

export type DiscoveryInput =
  | { readonly type: 'Begin' }
  | DiscoveryAnswer
  /** Somebody looks for a cluster too. */
  | InitJoin
  | InitJoinNack
  | NotConnected
  | { readonly type: 'Tick' }
  /** This node is in a cluster, or ends: there is nothing more to find. */
  | { readonly type: 'Over' }

/** What the look-up of that number came to. */
export type DiscoveryAnswer =
  /** In the order of addresses, each once. */
  | { readonly type: 'Discovered'; readonly number: number; readonly addresses: readonly Address[] }
  | { readonly type: 'NotDiscovered'; readonly number: number; readonly problem: string }

export type DiscoveryEffect =
  | LookUp
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: InitJoinNack }
  /** These are to be asked for a cluster, in place of those before. */
  | { readonly type: 'Contacts'; readonly addresses: readonly Address[] }
  /** Enough nodes take this one for the founder. Said again as long as it is so. */
  | { readonly type: 'Elected' }

/** Ask the discovery where nodes are. */
export interface LookUp {
  readonly type: 'LookUp'
  readonly number: number
}

export interface DiscoveryMachineOptions {
  readonly self: NodeId
  readonly settings: ClusterSettings
  /** What is asked, for people. */
  readonly name: string
  /** How many nodes must have found each other before one of them founds a cluster. */
  readonly requiredNodes: number
}

export interface DiscoverySnapshot {
  readonly phase: 'idle' | 'looking' | 'over'
  /** What the last look-up that was answered has found. */
  readonly found: readonly Address[]
  /** Why there is no cluster yet, in words. */
  readonly troubles: readonly string[]
}
