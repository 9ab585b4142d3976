/**
 * Keeps one node's view of the cluster and makes all views one: each tick a word to one peer, and to those for whom the leader
 * waits if it is that; each own change at once to a few. A word is what this node knows in brief; who knows more tells what is lacking, who knows less says so.
 *
 *   view ──own change──▶ new version, seen by us alone ──told, seen by more and more──▶ seen by all
 *     └──theirs has more: ask for it;  ours has more: tell it;  both: tell, and be told──▲
 *
 * Invariants: every own change is a new version that nobody else has seen; an exiting node says that it has seen
 * something only after it has handed over. Whatever is lost, late or told twice costs time and nothing else: a later word
 * finds out what is still lacking.
 */
import { unreachable } from '../../foundation/assert.ts'
import type { Random } from '../../foundation/random.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type {
  GossipEnvelope,
  GossipMessage,
  GossipNews,
  GossipStatus,
} from '../cluster-messages.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import { disagreementIn, hasConverged, isWaitedFor, leaderOf } from './convergence.ts'
import type { GossipEffect, GossipInput } from './gossip-inputs.ts'
import { chooseFarPeer, choosePeer, nearPeers, sample } from './gossip-peers.ts'
import { neighboursOf } from './data-center.ts'
import { type Gossip, brokenInvariantOf, hasSeen, memberOf } from './gossip.ts'
import { moveMembers } from './member-changes.ts'
import { packNews, unpackNews } from './news.ts'
import type { News } from './origins.ts'
import type { PackedOrigins } from './packed-origins.ts'
import { statusOfPair } from './reachability.ts'
import { Replica, type Tidings, type ViewSummary } from './replica.ts'

const spreadPeersMax = 5
/** Of those for whom the leader waits, so many are asked at a tick. Where there are more, they pass it on. */
const awaitedPeersMax = 32
/** Of those whom a change concerns, so many are told by who made it. Where it concerns more, it is news that spreads. */
const concernedMax = 32
/** Between two ticks so many changes are told at once; when many join together, the rest is told with the next words. */
const eagerRoundsMax = 8

export class GossipMachine {
  readonly #self: NodeId
  readonly #settings: ClusterSettings
  readonly #random: Random
  readonly #replica: Replica
  #hasHandedOver = false
  /** A change made here that the leader may not know to be seen by all. */
  #hasOwnNews = false
  #gossipedAt = -Infinity
  #eagerRounds = 0
  /** Whether the leader waits for others to see this view: asked at every tick, and it takes a look at all members. */
  #waitedFor: { readonly of: Gossip; readonly is: boolean } | undefined
  /** An answer is under way until then, so that not everybody tells the same. */
  #askedUntil = -Infinity
  /** Before that nobody is told all without having asked for it. */
  #toldAllUntil = -Infinity

  constructor(self: NodeId, settings: ClusterSettings, random: Random) {
    this.#self = self
    this.#settings = settings
    this.#random = random
    this.#replica = new Replica(self)
  }

  get gossip(): Gossip {
    return this.#replica.gossip
  }

  /** For one that is let in, beside the gossip. */
  get origins(): PackedOrigins {
    return this.#replica.origins
  }

  step(input: GossipInput, now: number): GossipEffect[] {
    switch (input.type) {
      case 'Adopt':
        this.#replica.adopt(input.gossip, input.origins)
        this.#see()
        return input.tell.map((to) => this.#status(to))
      case 'Change':
        return this.#change(input.gossip, input.tell)
      case 'ExitingDone':
        this.#hasHandedOver = true
        this.#see()
        return []
      case 'Spread':
        return this.#spread()
      case 'GossipStatus':
        return this.#answer(input, now)
      case 'GossipNews':
        return this.#receive(input, now)
      case 'GossipEnvelope':
        return this.#receiveWhole(input, now)
      case 'Tick':
        return this.#tick(now)
      default:
        return unreachable(input)
    }
  }

  snapshot(): Gossip {
    return this.gossip
  }

  #see(): void {
    // Nobody may take an exiting node for done before it is.
    const isHandingOver =
      memberOf(this.gossip, this.#self)?.status === 'Exiting' && !this.#hasHandedOver
    if (!isHandingOver && !hasSeen(this.gossip, this.#self)) this.#replica.see([this.#self])
  }

  #change(gossip: Gossip, tell: readonly NodeId[]): GossipEffect[] {
    this.#replica.change(gossip)
    this.#see()
    this.#hasOwnNews = true
    const first = new Set(tell)
    first.delete(this.#self)
    const known = [...first]
      .filter((node) => memberOf(gossip, node) !== undefined)
      .slice(0, concernedMax)
    const isBurst = ++this.#eagerRounds > eagerRoundsMax
    const more = isBurst ? 0 : Math.max(this.#settings.eagerGossipPeersMax - known.length, 0)
    const peers = more === 0 ? [] : nearPeers(gossip, this.#self).filter((node) => !first.has(node))
    return this.#tell([...known, ...sample(peers, more, this.#random)], this.#replica.ownTidings)
  }

  /** Nobody can ask afterwards, so they are told all that any of them may lack. */
  #spread(): GossipEffect[] {
    const peers = sample(nearPeers(this.gossip, this.#self), spreadPeersMax, this.#random)
    return this.#tell(peers, this.#replica.tidingsFor(new Map()))
  }

  #answer({ from, to, summary, isLost }: GossipStatus, now: number): GossipEffect[] {
    if (to !== this.#self || !this.#listensTo(from)) return []
    if (isLost) return [this.#envelope(from)]
    const { isSame, changes, hasMore, lacks } = this.#replica.read(summary)
    if (isSame) return [...this.#compareSeen(from, summary), ...this.#report()]
    if (lacks) return this.#tell([from], this.#replica.tidingsFor(changes), summary[0])
    // Where neither knows of anything that the other lacks, and yet they differ, somebody got it wrong.
    return this.#ask(from, now, !hasMore)
  }

  #receive(
    { from, to, summary, since, news: packed, answers }: GossipNews,
    now: number,
  ): GossipEffect[] {
    if (to !== this.#self || memberOf(this.gossip, from) === undefined) return []
    const news = unpackNews(packed)
    if ([...news.tombstones, ...news.dropped].some(([node]) => node === this.#self)) return []
    // Whoever says that we are Down is heard even when we hold it for unreachable: it is on the other side of a split.
    const isDowned = saysDown(news, this.#self)
    if (!this.#listensTo(from) && !isDowned) return []
    const [ownDigest] = this.#replica.summary()
    const outcome = this.#replica.receive(summary, since, news)
    if (outcome !== 'taken') {
      const gossip = isDowned ? moveMembers(this.gossip, [this.#self], 'Down') : this.gossip
      if (gossip !== this.gossip) return this.#change(gossip, [])
      return this.#ask(from, now, outcome === 'lost' || answers === ownDigest)
    }
    this.#see()
    if (this.#replica.summary()[0] !== ownDigest) this.#took()
    const { isSame, changes, lacks } = this.#replica.read(summary)
    if (isSame) return [...this.#compareSeen(from, summary), ...this.#report()]
    return lacks ? this.#tell([from], this.#replica.tidingsFor(changes), summary[0]) : []
  }

  #receiveWhole({ from, to, gossip: theirs }: GossipEnvelope, now: number): GossipEffect[] {
    if (to !== this.#self || !this.#listensTo(from)) return []
    if (memberOf(theirs, this.#self) === undefined || brokenInvariantOf(theirs)) return []
    const outcome = this.#replica.receiveWhole(theirs)
    this.#see()
    if (outcome === 'taken') this.#took()
    if (outcome !== 'behind') return [this.#status(from)]
    // It lacks something and does not know it, or it would have asked.
    if (now < this.#toldAllUntil) return []
    this.#toldAllUntil = now + this.#settings.tickIntervalMs
    return [this.#envelope(from)]
  }

  #took(): void {
    this.#hasOwnNews = false
    this.#askedUntil = -Infinity
  }

  /** Of the same version: takes over who has seen it by them, and answers when they do not know it of all. */
  #compareSeen(from: NodeId, summary: ViewSummary): GossipEffect[] {
    const theirs = this.#replica.seenIn(summary)
    if (theirs === undefined) return []
    this.#replica.see(theirs)
    return this.gossip.seen.length > theirs.length ? [this.#status(from)] : []
  }

  /** When all have seen a change of ours, the leader learns so from us and need not find out by chance. */
  #report(): GossipEffect[] {
    if (!this.#hasOwnNews || !hasConverged(this.gossip, this.#self)) return []
    this.#hasOwnNews = false
    const leader = leaderOf(this.gossip, this.#self)
    return leader === undefined || leader === this.#self ? [] : [this.#status(leader)]
  }

  #tick(now: number): GossipEffect[] {
    this.#eagerRounds = 0
    const { gossipIntervalMs, gossipDifferentViewProbability: probability } = this.#settings
    if (now - this.#gossipedAt < gossipIntervalMs && !this.#isBehind) return []
    this.#gossipedAt = now
    const peer =
      chooseFarPeer(this.gossip, this.#self, this.#random, this.#settings) ??
      choosePeer(this.gossip, this.#self, this.#random, probability)
    const peers = new Set(this.#awaited())
    if (peer !== undefined) peers.add(peer)
    return [...peers].map((to) => this.#status(to))
  }

  /** Those for whom the leader waits: it asks them itself, or it would learn by chance from others that they have seen. */
  #awaited(): NodeId[] {
    const { gossip } = this
    if (!this.#isBehind || leaderOf(gossip, this.#self) !== this.#self) return []
    const reachable = new Set(nearPeers(gossip, this.#self))
    const { unseenBy } = disagreementIn(gossip, this.#self)
    const awaited = unseenBy.filter((node) => reachable.has(node))
    return sample(awaited, awaitedPeersMax, this.#random)
  }

  /** News is urgent while few know it, and while the leader waits for those who have not seen it. */
  get #isBehind(): boolean {
    const { gossip } = this
    if (gossip.seen.length === gossip.members.length) return false
    // Others may be cut off for hours: what they have not seen is no reason to hurry.
    const members = neighboursOf(gossip, this.#self)
    const isSeen = (node: NodeId): boolean => hasSeen(gossip, node)
    const seen =
      members === gossip.members ? gossip.seen : members.filter(({ node }) => isSeen(node))
    if (seen.length === members.length) return false
    if (seen.length * 2 < members.length) return true
    if (this.#waitedFor?.of !== gossip) {
      this.#waitedFor = { of: gossip, is: isWaitedFor(gossip, this.#self) }
    }
    return this.#waitedFor.is
  }

  #listensTo(from: NodeId): boolean {
    const { reachability } = this.gossip
    return (
      memberOf(this.gossip, from) !== undefined &&
      from !== this.#self &&
      statusOfPair(reachability, this.#self, from) === 'Reachable'
    )
  }

  /** One question at a time. */
  #ask(to: NodeId, now: number, isLost: boolean): GossipEffect[] {
    if (now < this.#askedUntil) return []
    this.#askedUntil = now + this.#settings.tickIntervalMs
    return [this.#status(to, isLost)]
  }

  #tell(peers: readonly NodeId[], { since, news }: Tidings, answers = 0): GossipEffect[] {
    if (peers.length === 0) return []
    const said = { since, news: packNews(news), summary: this.#replica.summary(), answers }
    return peers.map((to) => this.#send({ type: 'GossipNews', from: this.#self, to, ...said }))
  }

  #status(to: NodeId, isLost = false): GossipEffect {
    const summary = this.#replica.summary()
    return this.#send({ type: 'GossipStatus', from: this.#self, to, summary, isLost })
  }

  #envelope(to: NodeId): GossipEffect {
    return this.#send({ type: 'GossipEnvelope', from: this.#self, to, gossip: this.gossip })
  }

  #send(message: GossipMessage): GossipEffect {
    return { type: 'Send', to: message.to, message }
  }
}

function saysDown({ members }: News, node: NodeId): boolean {
  return members.some(([member]) => member.node === node && member.status === 'Down')
}
