/** What the operator's process and the node processes say to each other, over the channel Node gives to a forked child. */
import type { Outcome, Statement, Transfer } from './transfers.ts'

export type ToNode =
  /** Join these, or form a cluster when there is nobody. */
  | {
      readonly type: 'Start'
      readonly store: string
      readonly seeds: readonly string[]
      /** Where it listened in its former life, if it had one. */
      readonly port: number | undefined
    }
  /** Carry this out, and ask again until it is. */
  | { readonly type: 'CarryOut'; readonly transfer: Transfer }
  /** What do these accounts hold? */
  | { readonly type: 'GetStatements'; readonly accounts: readonly string[] }

export type FromNode =
  /** The program is loaded and waits for `Start`. */
  | { readonly type: 'Loaded' }
  /** The node is a member that is Up. */
  | { readonly type: 'Started'; readonly address: string }
  | { readonly type: 'Finished'; readonly transfer: Transfer; readonly outcome: Outcome }
  | { readonly type: 'Statements'; readonly statements: readonly (readonly [string, Statement])[] }
  | { readonly type: 'Event'; readonly event: NodeEvent }
  | { readonly type: 'Report'; readonly report: Report }
  /** The node has stopped, for this reason; its process ends now. */
  | { readonly type: 'Stopped'; readonly reason: string }

/** Something this node has learned of its cluster; `address` says whom it is about. */
export interface NodeEvent {
  readonly kind:
    | 'MemberJoined'
    | 'MemberUp'
    | 'MemberLeft'
    | 'MemberExited'
    | 'MemberDowned'
    | 'MemberRemoved'
    | 'UnreachableMember'
    | 'ReachableMember'
    | 'Frozen'
    | 'Thawed'
  readonly address: string
  readonly detail?: string
}

/** What a node says of itself a few times a second. Counts are since the last report. */
export interface Report {
  readonly intervalMs: number
  readonly calls: number
  readonly askedAgain: number
  readonly latencies: readonly number[]
  readonly isFrozen: boolean
  /** Shards that live here. */
  readonly shards: readonly string[]
  readonly entities: number
  readonly members: readonly MemberReport[]
}

export interface MemberReport {
  readonly address: string
  readonly status: string
  /** Smaller is older. */
  readonly upNumber: number
  readonly isReachable: boolean
}
