/**
 * Who monitors whom. All members stand on a ring in the order of a hash of their incarnation, so that neighbours on one
 * host are spread; each monitors the next ones after it. An immutable value.
 */
import { stableHash } from '../../foundation/stable-hash.ts'
import { type NodeId, compareNodes } from '../../foundation/node-id.ts'

/** The place of a node on the ring. Tests may choose another. */
export type RingPlace = (node: NodeId) => number

const placeByIncarnation: RingPlace = (node) => stableHash(node.slice(-16))

/**
 * The members that `self` monitors. Those among the first that nobody listens to, because they are unreachable or on their
 * way out, are monitored too but do not count: those behind them must be watched by somebody whose word does.
 */
export function receiversOf(
  self: NodeId,
  members: readonly NodeId[],
  unheard: ReadonlySet<NodeId>,
  count: number,
  place: RingPlace = placeByIncarnation,
): Set<NodeId> {
  const others = members.filter((node) => node !== self)
  if (others.length <= count) return new Set(others)

  const ring = [...others, self].sort((a, b) => place(a) - place(b) || compareNodes(a, b))
  const start = ring.indexOf(self)
  const receivers = new Set<NodeId>()
  let heard = 0
  for (let step = 1; step < ring.length && heard < count; step++) {
    const node = ring[(start + step) % ring.length]!
    const isUnheard = unheard.has(node)
    if (isUnheard && receivers.size >= count) continue
    if (!isUnheard) heard++
    receivers.add(node)
  }
  return receivers
}
