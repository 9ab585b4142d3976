/** What goes into the process watch machine and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { Member } from '../gossip/member.ts'

export type ProcessWatchInput =
  /** Who is a member now, and whom somebody cannot reach. */
  | {
      readonly type: 'MembersChanged'
      readonly members: readonly Member[]
      readonly unreachable: ReadonlySet<NodeId>
    }
  /** The connection to this node broke, or was refused. */
  | { readonly type: 'ConnectionLost'; readonly node: NodeId }
  /** Asked for by `LookAgain`. */
  | { readonly type: 'LookDue' }
  | { readonly type: 'Tick' }
  | ProcessesSeen

/** The answer to `LookAtProcesses`: which of them have ended, which run, and of which nobody can tell. */
export interface ProcessesSeen {
  readonly type: 'ProcessesSeen'
  readonly ended: readonly NodeId[]
  readonly running: readonly NodeId[]
  readonly unknown: readonly NodeId[]
}

export type ProcessWatchEffect =
  | LookAtProcesses
  | LookAgain
  /** These members are dead beyond doubt. */
  | { readonly type: 'Died'; readonly nodes: readonly NodeId[] }

/** Answered by `ProcessesSeen`. */
export interface LookAtProcesses {
  readonly type: 'LookAtProcesses'
  readonly processes: ReadonlyMap<NodeId, string>
}

/** Answered by `LookDue`. A later one takes the place of an earlier one. */
export interface LookAgain {
  readonly type: 'LookAgain'
  readonly afterMs: number
}

export interface ProcessWatchOptions {
  /** Of this process. */
  readonly identity: string
  readonly settings: ClusterSettings
}

export interface ProcessWatchSnapshot {
  /** Members whose processes this one has seen running. */
  readonly seen: readonly NodeId[]
  /** Those that are looked at again and again, since they may have ended. */
  readonly suspected: readonly NodeId[]
}
