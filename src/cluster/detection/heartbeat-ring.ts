/**
 * Who monitors whom. All members stand on a ring in the order of a hash of their incarnation, so that neighbours on one
 * host are spread; each monitors the next ones after it. An immutable value.
 */
import { stableHash } from '../../foundation/stable-hash.ts'
import { type NodeId, compareNodes } from '../../foundation/node-id.ts'

/** The place of a node on the ring. Tests may choose another. */
export type RingPlace = (node: NodeId) => number

/** Places are below this. */
const ringLength = 2 ** 32

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
  if (members.length - 1 <= count) return new Set(members.filter((node) => node !== self))

  const receivers = new Set<NodeId>()
  let heard = 0
  for (const node of nextOnRing(self, members, count + unheard.size, place)) {
    if (heard >= count) break
    const isUnheard = unheard.has(node)
    if (isUnheard && receivers.size >= count) continue
    if (!isUnheard) heard++
    receivers.add(node)
  }
  return receivers
}

/** The next so many behind `self`. Only those that stand near are put in order: the ring may be long, and changes often. */
function nextOnRing(
  self: NodeId,
  members: readonly NodeId[],
  count: number,
  place: RingPlace,
): NodeId[] {
  const start = place(self)
  const places = members
    .filter((node) => node !== self)
    .map((node) => {
      const distance = place(node) - start
      const isBehind = distance > 0 || (distance === 0 && compareNodes(node, self) > 0)
      return { node, distance: isBehind ? distance : distance + ringLength }
    })
  let near = places
  for (let share = (2 * count) / places.length; share < 1; share *= 2) {
    near = places.filter(({ distance }) => distance <= share * ringLength)
    if (near.length >= count) break
    near = places
  }
  return near
    .sort((a, b) => a.distance - b.distance || compareNodes(a.node, b.node))
    .map(({ node }) => node)
}
