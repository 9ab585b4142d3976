/**
 * Members that some cannot reach and others can. In a clean split or a crash there are none: whoever is cut off observes
 * nothing that we hear of, and has not seen our gossip.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { ReachabilityRecord } from '../gossip/reachability.ts'

export interface IndirectlyConnected {
  /** Both observers and observed: a circle of those who cannot reach each other. */
  readonly inCycle: ReadonlySet<NodeId>
  /** Said to be unreachable, and yet have seen the current gossip; with those who say so. */
  readonly seen: ReadonlySet<NodeId>
  readonly all: ReadonlySet<NodeId>
}

export function indirectlyConnectedIn(
  records: readonly ReachabilityRecord[],
  seenBy: ReadonlySet<NodeId>,
): IndirectlyConnected {
  const observers = new Set(records.map(({ observer }) => observer))
  const subjects = records.map(({ subject }) => subject)
  const inCycle = new Set(subjects.filter((node) => observers.has(node)))
  const informed = records.filter(({ subject }) => seenBy.has(subject))
  const seen = new Set(informed.flatMap(({ observer, subject }) => [observer, subject]))
  return { inCycle, seen, all: new Set([...inCycle, ...seen]) }
}
