/** What to make of a whole view from a peer, and which words of gossip are not used. Pure: two views in, one view out. */
import { unreachable } from '../../foundation/assert.ts'
import { seconds } from '../../foundation/duration.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { GossipMessage, GossipNews } from '../cluster-messages.ts'
import { type Gossip, memberOf, mergeConcurrent, seenBy } from './gossip.ts'
import { mergeMembers, notYetUp } from './member.ts'
import { changesBy, compareClocks } from './vector-clock.ts'

/** Changes that one node makes, and members that become Up, while another member does not hear of it: fewer, by far. */
const changesUnheardMax = 2 ** 32
const upsUnheardMax = 2 ** 20
const gossipWaitMsMax = seconds(2)

/** Our view after theirs has arrived. */
export function receiveGossip(ours: Gossip, theirs: Gossip, self: NodeId): Gossip {
  const order = compareClocks(theirs.version, ours.version)
  switch (order) {
    case 'same':
      return seenBy(ours, membersAmong(theirs.seen, ours))
    case 'before':
      return ours
    case 'after':
      if (containsLess(ours, theirs, self)) break
      return theirs
    case 'concurrent':
      break
    default:
      return unreachable(order)
  }
  return mergeConcurrent(ours, theirs, self)
}

/**
 * Why a word of gossip that waited for so long is not used; undefined when it is. Only the wait on this node is known, from
 * the socket to the turn of its actor; what waited on the sender's side crossed a living connection, and old gossip loses
 * against newer by its version anyway.
 */
export function problemWithGossip(
  ours: Gossip,
  message: GossipMessage,
  waitedMs: number,
): string | undefined {
  if (waitedMs > gossipWaitMsMax) return 'it waited too long'
  const isFar =
    (message.type === 'GossipEnvelope' && isFarAhead(ours, message.gossip)) ||
    (message.type === 'GossipNews' && isFarAheadInNews(ours, message))
  return isFar ? 'it counts further than this cluster can have come; restart that node' : undefined
}

/** The same of news. It names its makers in short, so each is compared with whoever has made the most changes. */
function isFarAheadInNews(ours: Gossip, { summary, news }: GossipNews): boolean {
  const changes = ours.version.reduce((most, [, count]) => Math.max(most, count), 0)
  const observations = new Map(ours.reachability.map((rows) => [rows.observer, rows.version]))
  const [, , counts] = summary
  const [, , members, observers, , , lastUpNumber] = news
  return (
    lastUpNumber - ours.lastUpNumber > upsUnheardMax ||
    members.some(([, , upNumber]) => upNumber !== notYetUp && upNumber > lastUpNumber) ||
    counts.some((count, at) => at % 2 === 1 && count - changes > changesUnheardMax) ||
    observers.some(([node, version]) => version - (observations.get(node) ?? 0) > changesUnheardMax)
  )
}

/**
 * Whether theirs counts from far beyond ours. Counters only grow, and the highest is taken over by all: one such view
 * would bring the whole cluster to where counting ends, and nobody would take its gossip from there on.
 */
function isFarAhead(ours: Gossip, theirs: Gossip): boolean {
  const changes = new Map(ours.version)
  const observations = new Map(ours.reachability.map((rows) => [rows.observer, rows.version]))
  const isFar = (count: number, known = 0): boolean => count - known > changesUnheardMax
  return (
    theirs.lastUpNumber - ours.lastUpNumber > upsUnheardMax ||
    theirs.version.some(([node, count]) => isFar(count, changes.get(node))) ||
    theirs.reachability.some((rows) => isFar(rows.version, observations.get(rows.observer)))
  )
}

/**
 * Whether a later version lacks something of ours all the same: it counts changes of ours that we have not made, so what
 * we did change is not among them, or takes a member back. Somebody got it wrong, and what both know is kept.
 */
function containsLess(ours: Gossip, theirs: Gossip, self: NodeId): boolean {
  if (changesBy(theirs.version, self) > changesBy(ours.version, self)) return true
  if (ours.isEnding && !theirs.isEnding) return true
  const known = new Map(ours.members.map((member) => [member.node, member]))
  return theirs.members.some((member) => {
    const before = known.get(member.node)
    if (before === undefined || before === member) return false
    const { status, upNumber } = mergeMembers(before, member)
    return status !== member.status || upNumber !== member.upNumber
  })
}

/** Equal versions are equal members, unless somebody got it wrong; that must not confuse us too. */
function membersAmong(nodes: readonly NodeId[], gossip: Gossip): NodeId[] {
  return nodes.filter((node) => memberOf(gossip, node) !== undefined)
}
