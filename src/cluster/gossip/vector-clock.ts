/**
 * Which changes a view of the cluster contains: per node, how many changes it has made. An immutable value, sorted by
 * node, so that equal clocks are equal bytes and comparing is one walk over both.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { compareTexts, findInSorted, walkSorted } from '../../foundation/sorted-list.ts'
import { stableHash } from '../../foundation/stable-hash.ts'

export type VectorClock = readonly (readonly [node: NodeId, changes: number])[]

/** How the first of two clocks stands to the second. */
export type ClockOrder = 'same' | 'before' | 'after' | 'concurrent'

export const emptyClock: VectorClock = Object.freeze([])

/** The clock after one more change by `node`. */
export function tick(clock: VectorClock, node: NodeId): VectorClock {
  const changes = changesBy(clock, node) + 1
  return mergeClocks(clock, [[node, changes]])
}

/** How many changes by `node` the clock contains. */
export function changesBy(clock: VectorClock, node: NodeId): number {
  return findInSorted(clock, ([entry]) => compareTexts(entry, node))?.[1] ?? 0
}

export function compareClocks(a: VectorClock, b: VectorClock): ClockOrder {
  let isAhead = false
  let isBehind = false
  walkSorted(a, b, compareEntries, (inA, inB) => {
    const ahead = (inA?.[1] ?? 0) - (inB?.[1] ?? 0)
    if (ahead > 0) isAhead = true
    if (ahead < 0) isBehind = true
  })
  if (isAhead) return isBehind ? 'concurrent' : 'after'
  return isBehind ? 'before' : 'same'
}

/** Everything that either clock contains. */
export function mergeClocks(a: VectorClock, b: VectorClock): VectorClock {
  const merged: VectorClock[number][] = []
  walkSorted(a, b, compareEntries, (inA, inB) => {
    merged.push(inB === undefined || (inA !== undefined && inA[1] >= inB[1]) ? inA! : inB)
  })
  return merged
}

/** The clock without the entries of `nodes`, which have left for good. */
export function pruneClock(clock: VectorClock, nodes: ReadonlySet<NodeId>): VectorClock {
  return clock.some(([node]) => nodes.has(node))
    ? clock.filter(([node]) => !nodes.has(node))
    : clock
}

/** A clock in one number: equal clocks have equal digests, and others have not, but for one chance in 2^52. */
export function digestOfClock(clock: VectorClock): number {
  let high = 0
  let low = 0
  for (const [node, changes] of clock) {
    high = Math.imul(high, 31) + stableHash(node, changes)
    low = Math.imul(low, 37) + stableHash(node, ~changes)
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0)
}

/** The entries of a clock that go beyond an earlier one. */
export function entriesBeyond(clock: VectorClock, earlier: VectorClock): VectorClock {
  if (clock === earlier) return emptyClock
  const beyond: VectorClock[number][] = []
  walkSorted(clock, earlier, compareEntries, (entry, before) => {
    if (entry !== undefined && entry[1] > (before?.[1] ?? 0)) beyond.push(entry)
  })
  return beyond
}

function compareEntries(a: VectorClock[number], b: VectorClock[number]): number {
  return compareTexts(a[0], b[0])
}
