/** What goes into the founding machine and what comes out of it. */
import type { Address, NodeId } from '../../foundation/node-id.ts'
import type { GetStanding, Standing } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { Gossip } from '../gossip/gossip.ts'
import type { SharedStore } from '../joining/shared-store.ts'
import type { FoundingRecord } from './founding-record.ts'
import type { SplitWish } from './split-decision.ts'

export type FoundingInput =
  /**
   * The node looks for a cluster. `firstSeed` alone would found one; undefined where anybody may. `isAlone`: it was told to join
   * itself, and knows of nobody else.
   */
  | {
      readonly type: 'JoinBegan'
      readonly firstSeed: Address | undefined
      readonly isAlone: boolean
    }
  /** By the seeds there is no cluster, and this node is the one that founds. */
  | { readonly type: 'WouldForm' }
  /** A member of that founding would let this node in. */
  | { readonly type: 'Invited'; readonly founder: NodeId; readonly by: NodeId }
  /** This node is a member of that founding now. */
  | { readonly type: 'Entered'; readonly founder: NodeId }
  | { readonly type: 'ViewChanged'; readonly gossip: Gossip }
  /** The cluster has given up this member, by whatever way. */
  | { readonly type: 'Downed'; readonly node: NodeId }
  /** This process slept: what it knew is old. */
  | { readonly type: 'Overslept' }
  /** Somebody is about to take a stream over, and waits for a look that begins now. */
  | { readonly type: 'LookNow' }
  /** A look is wanted soon: the next one begins no later than this after the last call. */
  | { readonly type: 'LookSoon'; readonly withinMs: number }
  /** Any occasion to look at the clock. */
  | { readonly type: 'Look' }
  | { readonly type: 'Tick' }
  | Standing
  | (FoundingAnswer & {
      /** The node is frozen by others than this machine: it does not speak for the cluster. */
      readonly isHeld: boolean
      /** Whom this node would give up now, for its side of a split. */
      readonly wish?: SplitWish | undefined
    })

/** What the store said, by the number of the question. */
export type FoundingAnswer =
  | FoundingRead
  /** It cannot be told what stands there. `isUnreadable`: it is nothing that this version knows. */
  | {
      readonly type: 'FoundingNotRead'
      readonly number: number
      readonly problem: string
      readonly isUnreadable: boolean
    }
  | { readonly type: 'FoundingWritten'; readonly number: number; readonly revision: number }
  /** Somebody else wrote before: nothing has changed. */
  | { readonly type: 'FoundingChanged'; readonly number: number }
  /** Whether it was written is not known. */
  | { readonly type: 'FoundingNotWritten'; readonly number: number; readonly problem: string }

export interface FoundingRead {
  readonly type: 'FoundingRead'
  readonly number: number
  /** 0 where nothing was ever written. */
  readonly revision: number
  readonly record: FoundingRecord | undefined
  /** Every member in it has ended, proven by its process. */
  readonly areAllGone: boolean
}

export interface ReadFounding {
  readonly type: 'ReadFounding'
  readonly number: number
}

export interface WriteFounding {
  readonly type: 'WriteFounding'
  readonly number: number
  readonly expectedRevision: number
  readonly record: FoundingRecord
}

export type FoundingEffect =
  | ReadFounding
  | WriteFounding
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: GetStanding }
  /** These may be members too, although they are no seeds. */
  | { readonly type: 'Recorded'; readonly addresses: readonly Address[] }
  /** The next founding is this node's: it may form the cluster. */
  | { readonly type: 'Founded' }
  /** This node may join the founding it was invited to, or may not. */
  | { readonly type: 'Cleared' }
  | { readonly type: 'NotCleared' }
  | { readonly type: 'Freeze' }
  | { readonly type: 'Thaw' }
  /** For people: what this node waits for before it founds. */
  | WaitingToFound
  /** By the record these are given up, this node not among them. */
  | { readonly type: 'GivenUpShown'; readonly nodes: readonly NodeId[] }
  /** By the record this node is given up. */
  | { readonly type: 'GivenUp' }
  /** Another founding has taken the place of this node's. */
  | { readonly type: 'Succeeded'; readonly by: NodeId }
  /** The cluster lives at these addresses, and this node was not told to join it. */
  | { readonly type: 'LivesElsewhere'; readonly addresses: readonly Address[] }
  | { readonly type: 'Unreadable'; readonly problem: string }

export interface WaitingToFound {
  readonly type: 'WaitingToFound'
  readonly addresses: readonly Address[]
  readonly waitMs: number
}

export interface FoundingOptions {
  readonly self: NodeId
  readonly settings: ClusterSettings
  readonly store: SharedStore
  /** Of this process, where the system can tell. */
  readonly identity: string | undefined
}

export interface FoundingSnapshot {
  readonly phase: 'outside' | 'inside' | 'over'
  /** Of the founding that this node is in. */
  readonly founder: NodeId | undefined
  readonly revision: number | undefined
  readonly record: FoundingRecord | undefined
  readonly isFrozen: boolean
  /** Why this node has not founded yet, in words. */
  readonly troubles: readonly string[]
}
