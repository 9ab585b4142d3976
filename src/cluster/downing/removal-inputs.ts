/** What goes into the removal machine and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { Gossip } from '../gossip/gossip.ts'

export type RemovalInput =
  | Remove
  | { readonly type: 'ViewChanged'; readonly gossip: Gossip }
  /** That member was downed, by whomever. */
  | { readonly type: 'Downed'; readonly node: NodeId }
  /** This node slept or was cut off: it may have been given up, and must not go on before the record shows that it was not. */
  | { readonly type: 'Doubted' }
  | RecordShown
  | { readonly type: 'Tick' }

export interface Remove {
  readonly type: 'Remove'
  /** The node itself may be among them. */
  readonly nodes: readonly NodeId[]
  /** `Died`: their processes are known to have ended. */
  readonly as: 'Down' | 'Died'
  /** Whatever becomes of the picture, until they stand in the record; else it is tried once. */
  readonly isLasting: boolean
}

/** Who stands in the record now, by the answer to the question with that number; undefined when nobody could say. */
export interface RecordShown {
  readonly type: 'RecordShown'
  readonly number: number
  readonly nodes: readonly NodeId[] | undefined
}

export type RemovalEffect =
  | RecordGivenUp
  /** The node itself last. */
  | { readonly type: 'Down'; readonly nodes: readonly NodeId[] }
  | { readonly type: 'Died'; readonly nodes: readonly NodeId[] }
  /** By a look that began after the last doubt this node was not given up. */
  | { readonly type: 'ShownByStore' }

/** These are to stand in the record, if this node does not. Nobody is only a look. Answered by `RecordShown` in any case. */
export interface RecordGivenUp {
  readonly type: 'RecordGivenUp'
  readonly number: number
  readonly nodes: readonly NodeId[]
}

export interface RemovalOptions {
  readonly self: NodeId
  readonly settings: Pick<ClusterSettings, 'heartbeatIntervalMs'>
  /** Without a record nobody is held back. */
  readonly keepsRecord: boolean | undefined
}

export interface RemovalSnapshot {
  /** Who is to be removed as soon as the record shows it. */
  readonly held: readonly NodeId[]
  readonly isDoubting: boolean
}
