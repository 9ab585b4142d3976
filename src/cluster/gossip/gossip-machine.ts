/**
 * Keeps one node's view of the cluster and makes all views one: each tick a word to one peer, each own change at once to
 * a few.
 *
 *   view ──own change──▶ new version, seen by us alone ──told, seen by more and more──▶ seen by all
 *     └──theirs is newer: take it;  ours is newer: tell it;  neither: merge──▲
 *
 * Invariants: every own change is a new version that nobody else has seen; an exiting node says that it has seen
 * something only after it has handed over.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { Random } from '../../foundation/random.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { GossipEnvelope, GossipStatus } from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { hasConverged, leaderOf } from './convergence.ts'
import { answerToStatus, receiveGossip } from './gossip-exchange.ts'
import type { GossipEffect, GossipInput } from './gossip-inputs.ts'
import { choosePeer, sample, validPeers } from './gossip-peers.ts'
import {
  type Gossip,
  brokenInvariantOf,
  changedBy,
  emptyGossip,
  memberOf,
  seenBy,
  seenDigest,
} from './gossip.ts'
import { statusOfPair } from './reachability.ts'
import { compareClocks } from './vector-clock.ts'

const spreadPeersMax = 5

export class GossipMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #random: Random
  #gossip: Gossip = emptyGossip
  #hasHandedOver = false
  /** A change made here that the leader may not know to be seen by all. */
  #hasOwnNews = false
  #nextGossipAt = -Infinity

  constructor(self: NodeId, settings: ClusterSettings, random: Random) {
    this.#self = self
    this.#settings = settings
    this.#random = random
  }

  get gossip(): Gossip {
    return this.#gossip
  }

  step(input: GossipInput, now: number): GossipEffect[] {
    switch (input.type) {
      case 'Adopt':
        this.#take(input.gossip)
        return input.tell.map((to) => this.#envelope(to))
      case 'Change':
        return this.#change(input.gossip, input.tell)
      case 'ExitingDone':
        this.#hasHandedOver = true
        this.#take(this.#gossip)
        return []
      case 'Spread':
        return this.#spread()
      case 'GossipStatus':
        return this.#answer(input)
      case 'GossipEnvelope':
        return this.#receive(input)
      case 'Tick':
        return this.#tick(now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): Gossip {
    return this.#gossip
  }

  #take(gossip: Gossip): void {
    // Nobody may take an exiting node for done before it is.
    const isHandingOver = memberOf(gossip, this.#self)?.status === 'Exiting' && !this.#hasHandedOver
    this.#gossip = isHandingOver ? gossip : seenBy(gossip, [this.#self])
  }

  #change(gossip: Gossip, tell: readonly NodeId[]): GossipEffect[] {
    this.#take(changedBy(gossip, this.#self))
    this.#hasOwnNews = true
    const first = [...new Set(tell)].filter(
      (node) => node !== this.#self && memberOf(gossip, node) !== undefined,
    )
    const peers = validPeers(gossip, this.#self).filter((node) => !first.includes(node))
    const more = Math.max(this.#settings.eagerGossipPeersMax - first.length, 0)
    return [...first, ...sample(peers, more, this.#random)].map((to) => this.#envelope(to))
  }

  #spread(): GossipEffect[] {
    const peers = sample(validPeers(this.#gossip, this.#self), spreadPeersMax, this.#random)
    return peers.map((to) => this.#envelope(to))
  }

  #answer({ from, to, version, seenDigest: digest }: GossipStatus): GossipEffect[] {
    if (to !== this.#self || !this.#listensTo(from)) return []
    const answer = answerToStatus(this.#gossip, version, digest)
    if (answer === 'nothing') return []
    return [answer === 'gossip' ? this.#envelope(from) : this.#status(from)]
  }

  #receive({ from, to, gossip: theirs }: GossipEnvelope): GossipEffect[] {
    const selfThere = memberOf(theirs, this.#self)
    if (to !== this.#self || selfThere === undefined) return []
    // Whoever says that we are Down is heard even when we hold it for unreachable: it is on the other side of a split.
    if (!this.#listensTo(from) && selfThere.status !== 'Down') return []
    if (memberOf(this.#gossip, from) === undefined || brokenInvariantOf(theirs)) return []

    const before = this.#gossip.version
    const { gossip, talksBack } = receiveGossip(this.#gossip, theirs, this.#self)
    this.#take(gossip)
    if (this.#gossip.version !== before) this.#hasOwnNews = false
    const isNews = talksBack && !this.#isAllIn(theirs)
    return [...(isNews ? [this.#envelope(from)] : []), ...this.#report()]
  }

  /** Two that are Exiting are never among those who have seen: they would answer each other without end. */
  #isAllIn(theirs: Gossip): boolean {
    const { version, seen } = this.#gossip
    const isSame = compareClocks(version, theirs.version) === 'same'
    return isSame && seen.every((node) => theirs.seen.includes(node))
  }

  /** When all have seen a change of ours, the leader learns so from us and need not find out by chance. */
  #report(): GossipEffect[] {
    if (!this.#hasOwnNews || !hasConverged(this.#gossip, this.#self)) return []
    this.#hasOwnNews = false
    const leader = leaderOf(this.#gossip, this.#self)
    return leader === undefined || leader === this.#self ? [] : [this.#envelope(leader)]
  }

  #tick(now: number): GossipEffect[] {
    if (now < this.#nextGossipAt) return []
    const { tickIntervalMs, gossipIntervalMs, gossipDifferentViewProbability } = this.#settings
    this.#nextGossipAt = now + (this.#isBehind ? tickIntervalMs : gossipIntervalMs)
    const peer = choosePeer(this.#gossip, this.#self, this.#random, gossipDifferentViewProbability)
    if (peer === undefined) return []
    return [this.#gossip.seen.includes(peer) ? this.#status(peer) : this.#envelope(peer)]
  }

  /** News is urgent while few know it, and bad news always is. */
  get #isBehind(): boolean {
    const { members, seen } = this.#gossip
    return seen.length * 2 < members.length || members.some(({ status }) => status === 'Down')
  }

  #listensTo(from: NodeId): boolean {
    const { reachability } = this.#gossip
    return (
      memberOf(this.#gossip, from) !== undefined &&
      from !== this.#self &&
      statusOfPair(reachability, this.#self, from) === 'Reachable'
    )
  }

  #envelope(to: NodeId): GossipEffect {
    const message: GossipEnvelope = {
      type: 'GossipEnvelope',
      from: this.#self,
      to,
      gossip: this.#gossip,
    }
    return { type: 'Send', to, message }
  }

  #status(to: NodeId): GossipEffect {
    const message: GossipStatus = {
      type: 'GossipStatus',
      from: this.#self,
      to,
      version: this.#gossip.version,
      seenDigest: seenDigest(this.#gossip),
    }
    return { type: 'Send', to, message }
  }
}
