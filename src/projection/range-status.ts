/** What is known of a running projection: of each range who works on it, how far it came, and what holds it up. */
import type { NodeId } from '../foundation/node-id.ts'

export interface RangeStatus {
  readonly range: number
  /** Who works on it: the id of a node, or `here` where there is no cluster. */
  readonly node: NodeId
  /** Behind the last event that was handled. */
  readonly place: string
  /** Events handled since this node began to work on the range. */
  readonly handled: number
  /** Events left out since then. */
  readonly skipped: number
  /** Events that were deleted before it has read them, as far as it has noticed, since then. */
  readonly missed?: number | undefined
  /** How long ago it last saw the end of its slices; 0 while it is there. Grows where events come faster than they are handled. */
  readonly behindMs: number
  /** Why it does not get on now. */
  readonly failing?: string | undefined
  /** It has given up and waits for a restart, or for `reset()`; `failing` says why. */
  readonly isStopped: boolean
}

export interface ProjectionStatus {
  readonly name: string
  /** Those that somebody works on, in order. */
  readonly ranges: readonly RangeStatus[]
  /** Those of which nobody has told: they move just now, or are on a node that did not answer. */
  readonly missing: readonly number[]
  /** Nodes that run the projection and did not answer in time. */
  readonly unanswered: readonly NodeId[]
}

/** Of what nodes have told. Of two that claim a range, as while it moves, the one that is further behind counts. */
export function statusOf(
  { name, ranges }: { readonly name: string; readonly ranges: number },
  told: readonly RangeStatus[],
  unanswered: readonly NodeId[] = [],
): ProjectionStatus {
  const byRange = new Map<number, RangeStatus>()
  for (const each of told) {
    const other = byRange.get(each.range)
    if (other === undefined || other.behindMs < each.behindMs) byRange.set(each.range, each)
  }
  const numbers = Array.from({ length: ranges }, (_, range) => range)
  return {
    name,
    ranges: numbers.flatMap((range) => byRange.get(range) ?? []),
    missing: numbers.filter((range) => !byRange.has(range)),
    unanswered,
  }
}
