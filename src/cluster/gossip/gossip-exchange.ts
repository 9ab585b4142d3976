/** What to make of gossip from a peer, and whether to answer. Pure: two views and their senders in, one view out. */
import { unreachable } from '../../foundation/assert.ts'
import type { NodeId } from '../../remote/index.ts'
import { type Gossip, memberOf, mergeConcurrent, seenBy, seenDigest } from './gossip.ts'
import { type VectorClock, compareClocks } from './vector-clock.ts'

export interface Received {
  readonly gossip: Gossip
  /** The sender does not know all of this yet. */
  readonly talksBack: boolean
}

/** Our view after theirs has arrived. */
export function receiveGossip(ours: Gossip, theirs: Gossip, self: NodeId): Received {
  const order = compareClocks(theirs.version, ours.version)
  const knowsThatWeSaw = theirs.seen.includes(self)
  switch (order) {
    case 'same':
      return { gossip: seenBy(ours, membersAmong(theirs.seen, ours)), talksBack: !knowsThatWeSaw }
    case 'before':
      return { gossip: ours, talksBack: true }
    case 'after':
      return { gossip: theirs, talksBack: !knowsThatWeSaw }
    case 'concurrent':
      return { gossip: mergeConcurrent(ours, theirs, self), talksBack: true }
    default:
      return unreachable(order)
  }
}

/** How to answer a status: with all we know, with our status (so that they tell us more), or not. */
export function answerToStatus(
  ours: Gossip,
  theirVersion: VectorClock,
  theirSeenDigest: string,
): 'gossip' | 'status' | 'nothing' {
  const order = compareClocks(theirVersion, ours.version)
  if (order === 'same') return theirSeenDigest === seenDigest(ours) ? 'nothing' : 'gossip'
  return order === 'after' ? 'status' : 'gossip'
}

/** Equal versions are equal members, unless somebody got it wrong; that must not confuse us too. */
function membersAmong(nodes: readonly NodeId[], gossip: Gossip): NodeId[] {
  return nodes.filter((node) => memberOf(gossip, node) !== undefined)
}
