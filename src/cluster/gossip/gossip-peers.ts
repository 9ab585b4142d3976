/** Whom to gossip with next. Chance is passed in. */
import type { Random } from '../../foundation/random.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import {
  areApart,
  dataCenterOf,
  dataCentersIn,
  isNeighbour,
  isSpeaker,
  neighboursOf,
  speakersOf,
} from './data-center.ts'
import { type Gossip, memberOf } from './gossip.ts'
import { statusOfPair, unreachableFrom } from './reachability.ts'

const attemptsMax = 3
const fewNeighbours = 5

/** Everybody to whom gossip can be sent: others may hold them for unreachable, we do not. */
export function validPeers(gossip: Gossip, self: NodeId): NodeId[] {
  const unreachable = unreachableFrom(gossip.reachability, self)
  const nodes = gossip.members.map(({ node }) => node)
  return nodes.filter((node) => node !== self && !unreachable.has(node))
}

/** Those of the own data center; all where nobody else is there. */
export function nearPeers(gossip: Gossip, self: NodeId): NodeId[] {
  const valid = validPeers(gossip, self)
  if (!areApart(gossip.members)) return valid
  const near = valid.filter((node) => isNeighbour(gossip, node, self))
  return near.length > 0 ? near : valid
}

/** One peer; with the given probability one that has not seen this version, if there is any. */
export function choosePeer(
  gossip: Gossip,
  self: NodeId,
  random: Random,
  differentViewProbability: number,
): NodeId | undefined {
  const probability = effectiveProbability(differentViewProbability, gossip.members.length)
  const mayPrefer = gossip.seen.length < gossip.members.length && random.float() < probability
  const unseen = mayPrefer ? unseenOf(nearPeers(gossip, self), gossip) : []
  if (unseen.length > 0) return pick(unseen, random)
  return areApart(gossip.members)
    ? pick(nearPeers(gossip, self), random)
    : anyPeer(gossip, self, random)
}

export interface FarChoice {
  readonly crossDataCenterConnections: number
  readonly crossDataCenterGossipProbability: number
}

/**
 * A speaker of another data center, if this node speaks for its own and chance wants it; undefined otherwise. Where none of those
 * known here answers, anybody else there: while the two were cut off others may have taken their places, and only they can tell.
 */
export function chooseFarPeer(
  gossip: Gossip,
  self: NodeId,
  random: Random,
  { crossDataCenterConnections: count, crossDataCenterGossipProbability }: FarChoice,
): NodeId | undefined {
  if (!areApart(gossip.members) || !isSpeaker(gossip, self, count)) return undefined
  const near = neighboursOf(gossip, self).length
  // Few speak for few: what they learn is all that their data center learns.
  const probability = Math.max((fewNeighbours - near) / 4, crossDataCenterGossipProbability)
  if (random.float() >= probability) return undefined
  const valid = new Set(validPeers(gossip, self))
  const own = dataCenterOf(memberOf(gossip, self))
  const speakers = (dataCenter: string, most: number): NodeId[] =>
    speakersOf(gossip.members, dataCenter, most)
      .map(({ node }) => node)
      .filter((node) => valid.has(node))
  const far = dataCentersIn(gossip.members)
    .filter((each) => each !== own)
    .flatMap((each) => {
      const few = speakers(each, count)
      return few.length > 0 ? few : speakers(each, Infinity)
    })
  return pick(far, random)
}

function unseenOf(peers: readonly NodeId[], gossip: Gossip): NodeId[] {
  const seen = new Set(gossip.seen)
  return peers.filter((node) => !seen.has(node))
}

/** Nearly all are valid, so that it is quicker to try than to list them. */
function anyPeer(gossip: Gossip, self: NodeId, random: Random): NodeId | undefined {
  const { members } = gossip
  for (let attempt = 0; attempt < attemptsMax && members.length > 0; attempt++) {
    const { node } = members[random.below(members.length)]!
    const isValid = node !== self && statusOfPair(gossip.reachability, self, node) === 'Reachable'
    if (isValid) return node
  }
  return pick(validPeers(gossip, self), random)
}

/** Up to `count` different ones of `nodes`. */
export function sample(nodes: readonly NodeId[], count: number, random: Random): NodeId[] {
  const rest = [...nodes]
  const chosen: NodeId[] = []
  while (chosen.length < count && rest.length > 0) {
    const place = random.below(rest.length)
    chosen.push(rest[place]!)
    rest[place] = rest.at(-1)!
    rest.pop()
  }
  return chosen
}

/**
 * In large clusters everybody would turn to the same few that are behind and flood them: from 400 to 1,200 members the
 * preference falls to a tenth.
 */
export function effectiveProbability(probability: number, members: number): number {
  const beyond = Math.min(Math.max((members - 400) / 800, 0), 1)
  return probability * (1 - 0.9 * beyond)
}

function pick(nodes: readonly NodeId[], random: Random): NodeId | undefined {
  return nodes.length === 0 ? undefined : nodes[random.below(nodes.length)]
}
