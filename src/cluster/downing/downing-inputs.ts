/** What goes into the downing machine and what comes out of it. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { CutDecision } from './clean-cut.ts'
import type { DowningStrategy } from './downing-strategy.ts'
import type { DowningDecision, Verdict } from './judgement.ts'
import type { DowningView } from './split-view.ts'

export type DowningInput =
  | { readonly type: 'ViewChanged'; readonly view: DowningView }
  /** This process slept: what it saw before is old. */
  | { readonly type: 'Overslept' }
  /** Out of touch: so many others have been silent just now that the picture may be old. */
  | { readonly type: 'Tick'; readonly isOutOfTouch?: boolean }
  | ArbiterAnswered
  /** By the record in the store these are given up, this node not among them. */
  | { readonly type: 'GivenUpShown'; readonly nodes: readonly NodeId[] }

/** What the arbiter has decided on the question with that number; undefined when it could not say. */
export interface ArbiterAnswered {
  readonly type: 'ArbiterAnswered'
  readonly number: number
  readonly decision: CutDecision | undefined
}

export type DowningEffect =
  | {
      readonly type: 'Down'
      /** The node itself last. */
      readonly nodes: readonly NodeId[]
      readonly why: DowningDecision | 'Unstable' | 'GivenUp'
    }
  | { readonly type: 'Freeze' }
  | { readonly type: 'Thaw' }
  | AskArbiter
  /** The store is to be asked: what, stands in `wish`, for as long as it is wanted. */
  | { readonly type: 'AskStore' }
  | ArbiterIsOver

/** Answered by `ArbiterAnswered` with the same number, or not at all. */
export interface AskArbiter {
  readonly type: 'AskArbiter'
  readonly number: number
  readonly question: string
}

/** The arbiter's last decision was carried out long enough ago. */
export interface ArbiterIsOver {
  readonly type: 'ArbiterIsOver'
}

export interface DowningOptions {
  readonly self: NodeId
  readonly settings: ClusterSettings
  readonly strategy: DowningStrategy
}

export interface DowningSnapshot {
  readonly verdict: Verdict | undefined
  /** What the arbiter has not decided yet. */
  readonly question: string | undefined
  /** Whom this node would give up now, if the store agrees. */
  readonly wouldGiveUp: readonly NodeId[]
  readonly isFrozen: boolean
  readonly actsAt: number | undefined
}
