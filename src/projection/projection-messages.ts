/** What nodes that run a projection say to each other. */
import type { ActorRef } from '../actor/index.ts'
import type { RangeStatus } from './range-status.ts'

/** Any node that runs the projection -> range: run, and go on running. */
export interface KeepRange {
  readonly type: 'KeepRange'
}

/** Whoever resets -> range: begin again from the first event. */
export interface ResetRange {
  readonly type: 'ResetRange'
  readonly replyTo: ActorRef<unknown>
}

/** Range -> whoever resets: done, or why not. */
export interface RangeReset {
  readonly type: 'RangeReset'
  readonly problem?: string | undefined
}

/** Node -> node: which ranges of this projection do you work on? */
export interface GetProjectionRanges {
  readonly type: 'GetProjectionRanges'
  readonly projection: string
  readonly replyTo: ActorRef<unknown>
}

/** Node -> node: these, and this is how they are. */
export interface ProjectionRanges {
  readonly type: 'ProjectionRanges'
  readonly ranges: readonly RangeStatus[]
}

export type ProjectionMessage =
  | KeepRange
  | ResetRange
  | RangeReset
  | GetProjectionRanges
  | ProjectionRanges
