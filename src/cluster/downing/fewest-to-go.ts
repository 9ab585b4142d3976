/**
 * Which of those who cannot reach each other have to go so that all who are left can: as few as that takes, near enough. One
 * after the other whoever is part of the most broken pairs goes; of equals the later address.
 */
import { type NodeId, compareNodes } from '../../foundation/node-id.ts'
import type { ReachabilityRecord } from '../gossip/reachability.ts'

export function fewestToGo(records: readonly ReachabilityRecord[]): ReadonlySet<NodeId> {
  const goes = new Set<NodeId>()
  const partners = new Map<NodeId, Set<NodeId>>()
  const pair = (one: NodeId, other: NodeId): void => {
    const known = partners.get(one)
    if (known === undefined) partners.set(one, new Set([other]))
    else known.add(other)
  }
  for (const { observer, subject } of records) {
    pair(observer, subject)
    pair(subject, observer)
  }
  for (;;) {
    const [worst] = [...partners].sort(
      ([a, brokenA], [b, brokenB]) => brokenB.size - brokenA.size || compareNodes(b, a),
    )
    if (worst === undefined || worst[1].size === 0) return goes
    const [node, broken] = worst
    goes.add(node)
    partners.delete(node)
    for (const partner of broken) partners.get(partner)?.delete(node)
  }
}
