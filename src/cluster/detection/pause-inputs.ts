/** What goes into the pause machine and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { GetStanding, Standing } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { DowningStrategy } from '../downing/downing-strategy.ts'
import type { Member } from '../gossip/member.ts'

export type PauseInput =
  /** Any occasion to look at the clock; before queued work is done is best. */
  | { readonly type: 'Look'; readonly wallMs?: number }
  | { readonly type: 'Tick' }
  /** Those against whom this node would lose by the rule alone have been silent so long that they may be about to give it up. */
  | { readonly type: 'CutOff' }
  /** This node was cut off for a while: it may have been given up meanwhile, as if it had slept. */
  | { readonly type: 'WasCutOff' }
  /** The store has shown, by a look that began after the question, that nobody has given this node up. */
  | { readonly type: 'ShownByStore' }
  /** The members whose word counts, and this node itself when it is one. */
  | {
      readonly type: 'MembersChanged'
      readonly members: readonly Member[]
      /** Whom somebody cannot reach; nobody when not given. */
      readonly unreachable?: ReadonlySet<NodeId>
    }
  | Standing

export type PauseEffect =
  | { readonly type: 'Send'; readonly to: NodeId; readonly message: GetStanding }
  /** This process did not run for so long by the monotonic clock, by which silence is counted. */
  | { readonly type: 'Overslept'; readonly ms: number }
  | { readonly type: 'Freeze' }
  | { readonly type: 'Thaw' }
  /** Nobody can prove any more that this node was not given up: it must end. */
  | { readonly type: 'Hopeless' }

export interface PauseOptions {
  readonly self: NodeId
  readonly settings: ClusterSettings
  readonly strategy: DowningStrategy
}

export interface PauseSnapshot {
  readonly isDoubting: boolean
  readonly answers: number
}
