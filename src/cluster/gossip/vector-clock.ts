/**
 * Which changes a view of the cluster contains: per node, how many changes it has made. An immutable value, sorted by
 * node, so that equal clocks are equal bytes and comparing is one walk over both.
 */
import type { NodeId } from '../../foundation/node-id.ts'

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
  return clock.find(([entry]) => entry === node)?.[1] ?? 0
}

export function compareClocks(a: VectorClock, b: VectorClock): ClockOrder {
  let isAhead = false
  let isBehind = false
  walk(a, b, (_, inA, inB) => {
    if (inA > inB) isAhead = true
    if (inA < inB) isBehind = true
  })
  if (isAhead) return isBehind ? 'concurrent' : 'after'
  return isBehind ? 'before' : 'same'
}

/** Everything that either clock contains. */
export function mergeClocks(a: VectorClock, b: VectorClock): VectorClock {
  const merged: (readonly [NodeId, number])[] = []
  walk(a, b, (node, inA, inB) => {
    merged.push([node, Math.max(inA, inB)])
  })
  return merged
}

/** The clock without the entries of `nodes`, which have left for good. */
export function pruneClock(clock: VectorClock, nodes: ReadonlySet<NodeId>): VectorClock {
  return clock.some(([node]) => nodes.has(node))
    ? clock.filter(([node]) => !nodes.has(node))
    : clock
}

function walk(
  a: VectorClock,
  b: VectorClock,
  visit: (node: NodeId, inA: number, inB: number) => void,
): void {
  let indexA = 0
  let indexB = 0
  while (indexA < a.length || indexB < b.length) {
    const entryA = a[indexA]
    const entryB = b[indexB]
    const isInA = entryA !== undefined && (entryB === undefined || entryA[0] <= entryB[0])
    const isInB = entryB !== undefined && (entryA === undefined || entryB[0] <= entryA[0])
    visit((isInA ? entryA : entryB!)[0], isInA ? entryA[1] : 0, isInB ? entryB[1] : 0)
    if (isInA) indexA++
    if (isInB) indexB++
  }
}
