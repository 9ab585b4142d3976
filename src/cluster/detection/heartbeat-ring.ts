/**
 * Who monitors whom. All members stand on a ring in the order of a hash of their incarnation, so that neighbours on one
 * host are spread; each monitors the next ones after it. An immutable value.
 */
import { stableHash } from '../../foundation/stable-hash.ts'
import { type NodeId, compareNodes } from '../../remote/index.ts'

/** The place of a node on the ring. Tests may choose another. */
export type RingPlace = (node: NodeId) => number

const placeByIncarnation: RingPlace = (node) => stableHash(node.slice(-16))

/**
 * The members that `self` monitors. Unreachable ones among the first are monitored too but do not count, so that when
 * many neighbours die together, those behind them are still watched.
 */
export function receiversOf(
  self: NodeId,
  members: readonly NodeId[],
  unreachable: ReadonlySet<NodeId>,
  count: number,
  place: RingPlace = placeByIncarnation,
): Set<NodeId> {
  const others = members.filter((node) => node !== self)
  if (others.length <= count) return new Set(others)

  const ring = [...others, self].sort((a, b) => place(a) - place(b) || compareNodes(a, b))
  const start = ring.indexOf(self)
  const receivers = new Set<NodeId>()
  let reachable = 0
  for (let step = 1; step < ring.length && reachable < count; step++) {
    const node = ring[(start + step) % ring.length]!
    const isUnreachable = unreachable.has(node)
    if (isUnreachable && receivers.size >= count) continue
    if (!isUnreachable) reachable++
    receivers.add(node)
  }
  return receivers
}
