/**
 * All this node knows about one peer address: which incarnation lives there, the lanes in both directions, the refs
 * of its actors, who watches whom. When another incarnation appears there, everything of the one before ends here.
 *
 * Invariant: nothing is sent to, or taken from, an incarnation that was replaced or quarantined. One file because all of it ends
 * together with the incarnation.
 */
import type { RemoteDeadLetterReason } from './remote-drop-reasons.ts'
import type { InternalRef, Runtime, Watcher } from '../actor/internals.ts'
import { assert } from '../foundation/assert.ts'
import type { Objection } from './handshake/handshake-inputs.ts'
import type { Lane } from './lane.ts'
import type { Incarnations } from './incarnations.ts'
import type { Members } from './members.ts'
import { AddressClaim } from './link/address-claim.ts'
import type { InboundLink } from './link/inbound-link.ts'
import type { LinkLoss, LinkOwner, LinkWorld } from './link/link-owner.ts'
import { OutboundLink } from './link/outbound-link.ts'
import type { ConnectFailure } from './link/peer-connection.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'
import type { RefText } from './ref/ref-text.ts'
import { type Outbox, type RefHome, type RemoteRef, RemoteQuestion } from './ref/remote-ref.ts'
import { RemoteRefs } from './ref/remote-refs.ts'
import {
  PeerConnected,
  PeerDisconnected,
  PeerQuarantined,
  ThisNodeQuarantined,
  WaitingGivenUp,
} from './remote-events.ts'
import { type LostPatience, RemoteDeathWatch } from './watch/remote-death-watch.ts'
import { writeSystemFrame, type SystemMessage } from './watch/system-messages.ts'
import type { ByteCursor } from './wire/byte-cursor.ts'

export interface AssociationOptions {
  readonly address: Address
  /** May know something from an earlier association with this address. */
  readonly incarnations: Incarnations
  readonly world: LinkWorld
  /** An actor of this node, by the text that stands in a `Watch`. */
  readonly actorAt: (path: string) => InternalRef
  readonly onFailure: (failure: ConnectFailure, address: Address) => void
  /** One that has called, and waits for something, is given up because it cannot be called. */
  readonly onNeverReached: (peer: NodeId) => void
  /** Numbers what is learnt about the incarnations of any peer, in order. */
  readonly nextLearnt: () => number
  readonly members: Members
  /** Somebody was reached there for the first time. */
  readonly onReached: (association: Association) => void
}

export class Association implements LinkOwner, RefHome {
  readonly address: Address
  readonly runtime: Runtime
  readonly #options: AssociationOptions
  readonly #incarnations: Incarnations
  readonly #links: Readonly<Record<Lane, OutboundLink>>
  readonly #inbound = new Map<Lane, { readonly peer: NodeId; readonly link: InboundLink }>()
  readonly #refs: RemoteRefs
  readonly #deathWatch: RemoteDeathWatch
  /** When it was last told that the peer has given this node up. */
  #remindedMs = -Infinity
  /** Of another incarnation than the one that is connected. */
  #claim: AddressClaim | undefined
  /** Somebody was there when this node called. Until then it is an address that others have named. */
  #wasReached = false
  /** Once this one is forgotten: that which is in its place, made when it is needed, if there is room. */
  #successor: (() => Association | undefined) | undefined
  /** What has been learnt since then of the incarnations there; its refs may be held for long. */
  #knownNow: () => Incarnations | undefined = () => undefined

  constructor(options: AssociationOptions) {
    const { address, world, actorAt } = options
    const { settings, runtime } = world
    this.address = address
    this.runtime = runtime
    this.#options = options
    this.#incarnations = options.incarnations
    this.#links = {
      control: new OutboundLink('control', world, this),
      data: new OutboundLink('data', world, this),
      large: new OutboundLink('large', world, this),
    }
    this.#refs = new RemoteRefs({
      home: this,
      outboxOf: (lane) => this.#links[lane],
      refsMax: settings.refsMax,
      lanes: world.lanes,
      isWatched: (ref) => this.#deathWatch.isWatched(ref),
    })
    this.#deathWatch = new RemoteDeathWatch({
      clock: runtime.environment.clock,
      timers: runtime.environment.timers,
      systemMessagesMax: settings.systemMessagesMax,
      deathNoticeWaitMs: settings.deathNoticeWaitMs,
      actorAt,
      peer: () => this.peer,
      send: (sequence, message) => this.#sendSystem(sequence, message),
      wake: () => this.#links.control.wake(),
      whenDataSettled: (done) => this.whenDataSettled(done),
      patienceMs: (node) => this.#patienceMs(node),
      patienceMinMs: Math.min(settings.giveUpAfterMs, settings.systemGiveUpAfterMs),
      onGiveUp: (reason) => this.#abandon(reason),
    })
  }

  /** The incarnation that lives there now, as far as this node knows. */
  get peer(): NodeId | undefined {
    return this.#incarnations.current
  }

  get incarnations(): Incarnations {
    return this.#incarnations
  }

  get wasReached(): boolean {
    return this.#wasReached
  }

  /** Idle, and nothing is lost by forgetting it: no system message has passed, or none may any more. */
  get isForgettable(): boolean {
    return this.isIdle && !this.#isCountedOn
  }

  /** Both ends have numbered system messages, and would have to go on from there. */
  get #isCountedOn(): boolean {
    const { peer } = this
    return peer !== undefined && !this.isGone(peer) && !this.#deathWatch.isFresh
  }

  /** Whether the peer is connected to this node. */
  get isCalling(): boolean {
    return this.#inbound.size > 0
  }

  /** Nothing is under way in either direction, and nobody watches anybody. */
  get isIdle(): boolean {
    const links = Object.values(this.#links)
    const isQuiet = this.#inbound.size === 0 && this.#deathWatch.isIdle
    return isQuiet && links.every((link) => !link.isOpen && link.queued === 0)
  }

  /** Messages that wait here, not yet handed to the network. */
  get queued(): number {
    const { control, data, large } = this.#links
    return control.queued + data.queued + large.queued
  }

  // ---- refs

  refTo(text: RefText): RemoteRef {
    return this.#refs.refTo(text)
  }

  questionOf(node: NodeId, askNumber: number, arrivedMs: number): RemoteQuestion {
    return new RemoteQuestion(this, this.#links.data, node, askNumber, arrivedMs)
  }

  isGone(node: NodeId | undefined): boolean {
    if (node === undefined) return false
    return this.#incarnations.isGone(node) || this.#knownNow()?.isGone(node) === true
  }

  watch(ref: RemoteRef, watcher: Watcher): void {
    if (this.isGone(ref.node)) return watcher.watchedTerminated(ref, undefined)
    const here = this.#successor === undefined ? this : this.#successor()
    if (here === undefined) watcher.watchedTerminated(ref, undefined)
    else if (here === this) this.#deathWatch.watch(ref, watcher)
    else here.watch(ref, watcher)
  }

  unwatch(ref: RemoteRef, watcher: Watcher): void {
    if (this.#successor !== undefined) this.#successor()?.unwatch(ref, watcher)
    else this.#deathWatch.unwatch(ref, watcher)
  }

  // ---- incarnations

  fateOf(node: NodeId): RemoteDeadLetterReason | undefined {
    const exclusion = this.#incarnations.exclusionOf(node) ?? this.#knownNow()?.exclusionOf(node)
    if (exclusion === 'removed') return 'quarantined'
    if (exclusion !== 'quarantined-in-return') return exclusion
    // Not on behalf of one that has been replaced: the next may think well of us.
    if (node === this.peer) this.#remindOfQuarantine()
    return 'quarantined'
  }

  /** Whoever decides what this node does about it may not have been ready to when it was first told. */
  #remindOfQuarantine(): void {
    const nowMs = this.runtime.environment.clock.monotonicMs()
    if (nowMs - this.#remindedMs < this.#options.world.settings.reconnectMaxMs) return
    this.#remindedMs = nowMs
    this.runtime.eventStream.publish(new ThisNodeQuarantined(this.address))
  }

  /** Somebody who has called proves to be this node: is it believed, though another is connected? */
  claimed(by: NodeId): Objection {
    const { peer: known, address } = this
    if (known === undefined || known === by || !this.#isConnected) return undefined
    const answer = this.#claim?.by === by ? this.#claim.answer : 'overtaken'
    if (this.#claim?.isAsking === true) return answer
    this.#claim = undefined
    if (answer === undefined) return undefined
    // Also for one that was refused before: the other may be gone by now.
    this.#claim = new AddressClaim({ by, known, address, answer }, this.#options.world)
    return answer
  }

  get #isConnected(): boolean {
    return this.#inbound.size > 0 || Object.values(this.#links).some((link) => link.isOpen)
  }

  /** Somebody has proved to be this node. */
  #learn(node: NodeId): void {
    const before = this.#incarnations.current
    if (!this.#incarnations.learn(node, this.#options.nextLearnt())) return
    if (before !== undefined) this.#end(before, 'former-incarnation', `replaced by ${node}`)
    this.#deathWatch.peerChanged(node, before === undefined)
  }

  /** Gives this incarnation up for good; who decides that tells the operator why. */
  quarantine(node: NodeId, reason: string): void {
    if (!this.#incarnations.quarantine(node)) return
    this.runtime.logger.debug(
      { peer: node, reason },
      `Nothing passes to or from ${node}: ${reason}`,
    )
    this.#shut(node, reason, false)
  }

  /**
   * It has given this node up and will take nothing from it again. So it is not spoken to either, and who watches its
   * actors is told, for it watches for nobody here any more. It is not told: it is the one that knows, and a notice
   * would look to it as if it had been given up itself.
   */
  #quarantineInReturn(node: NodeId): void {
    if (!this.#incarnations.quarantineInReturn(node)) return
    this.#remindedMs = this.runtime.environment.clock.monotonicMs()
    this.runtime.logger.warn(
      { peer: node },
      `${this.address} has given this node up and takes nothing from it any more; the two speak again after one of them was restarted.`,
    )
    this.#shut(node, 'it has given this node up', true)
  }

  #shut(node: NodeId, reason: string, isInReturn: boolean): void {
    this.#end(node, 'quarantined', 'quarantined')
    this.#deathWatch.forgetMessagesTo(node)
    this.#deathWatch.nodeGone(node)
    this.runtime.eventStream.publish(new PeerQuarantined(node, reason, isInReturn))
  }

  /** Others have seen the last of it: those who watch its actors are told. It may still be spoken to, and is not called for that. */
  nodeRemoved(node: NodeId): void {
    this.#incarnations.remove(node)
    this.#deathWatch.nodeRemoved(node)
  }

  #end(node: NodeId, letters: RemoteDeadLetterReason, reason: string): void {
    for (const link of Object.values(this.#links)) {
      link.disconnect(node, reason)
      link.giveUp(letters, (recipient) => recipient.node === node)
    }
    for (const [lane, { peer, link }] of this.#inbound) {
      if (peer !== node) continue
      this.#inbound.delete(lane)
      link.close(reason)
    }
  }

  // ---- inbound

  /** The peer has connected; an earlier connection of the same lane is over, whether it knows or not. */
  accepted(lane: Lane, peer: NodeId, link: InboundLink): void {
    this.#learn(peer)
    const before = this.#inbound.get(lane)
    this.#inbound.set(lane, { peer, link })
    before?.link.close('replaced by a newer connection')
    this.#deathWatch.cameBack()
  }

  inboundLost(lane: Lane, link: InboundLink): void {
    if (this.#inbound.get(lane)?.link === link) this.#inbound.delete(lane)
  }

  takeSystem(cursor: ByteCursor): void {
    if (!this.#deathWatch.take(cursor)) this.#countIsForgotten()
  }

  get lastSystemTaken(): number {
    return this.#deathWatch.lastTaken
  }

  // ---- system messages

  #sendSystem(sequence: number, message: SystemMessage): void {
    const { control } = this.#links
    if (control.isOpen) control.sendFrame((target) => writeSystemFrame(target, sequence, message))
    else control.wake()
  }

  systemConfirmed(sequence: number): void {
    if (!this.#deathWatch.confirmed(sequence)) this.#countIsForgotten()
  }

  /** It was removed, and so many have been since that this, too, is forgotten. It has to learn that there is no going on. */
  #countIsForgotten(): void {
    const { peer } = this
    assert(peer !== undefined, 'who counts has said who it is')
    this.runtime.logger.warn(
      { peer },
      `${peer} goes on with what this node has forgotten: it must have been removed from the cluster long ago. Nothing passes between the two any more; end that process, or restart it.`,
    )
    this.quarantine(peer, 'it goes on with what is forgotten here')
  }

  /** An address that is only spoken of is not worth hours: whoever names one could have this node call it for so long. */
  #patienceMs(node: NodeId | undefined): number {
    const { giveUpAfterMs, systemGiveUpAfterMs } = this.#options.world.settings
    if (this.isGone(node)) return Infinity
    const isKnown = this.#wasReached && (node === undefined || node === this.peer)
    if (isKnown || this.#isMember(node)) return systemGiveUpAfterMs
    return Math.min(giveUpAfterMs, systemGiveUpAfterMs)
  }

  #isMember(node: NodeId | undefined): boolean {
    const { members } = this.#options
    return node === undefined ? members.isAt(this.address) : members.has(node)
  }

  #abandon({ text: reason, isSilence }: LostPatience): void {
    const { peer } = this
    // Nobody was ever met there, so there is no one to give up.
    if (peer === undefined) return
    const isKnown = this.#wasReached || this.#isMember(peer)
    // It has never heard anything from here, and waits for nothing: it may be listened to as before.
    if (!isKnown && !this.#deathWatch.isOwing) return
    if (!isKnown && isSilence) {
      this.#options.onNeverReached(peer)
    } else {
      this.runtime.logger.warn(
        { peer, reason },
        `This node gives ${this.address} up: ${reason}. Nothing passes between the two until one of them was restarted; is the network between them sound?`,
      )
    }
    this.quarantine(peer, reason)
  }

  // ---- from the links

  needs(lane: Lane): boolean {
    if (lane !== 'control') return false
    // Whether a member lives is for the cluster to say. Of others it shows by this connection alone.
    const mustSeeItLive = this.#deathWatch.isWatching && !this.#isMember(undefined)
    return this.#deathWatch.isAwaiting || mustSeeItLive
  }

  unreachable(lane: Lane): void {
    if (lane === 'control') this.#deathWatch.giveUpWatches(({ node }) => !this.#isMember(node))
  }

  hasLastWords(lane: Lane): boolean {
    return lane === 'control' && this.#deathWatch.hasDeathsToTell
  }

  opened(lane: Lane, peer: NodeId): void {
    this.#learn(peer)
    if (!this.#wasReached) {
      this.#wasReached = true
      this.#options.onReached(this)
    }
    this.#deathWatch.cameBack()
    if (lane === 'control') {
      for (const [sequence, message] of this.#deathWatch.numbered()) {
        this.#sendSystem(sequence, message)
      }
    }
    this.runtime.eventStream.publish(new PeerConnected(peer, lane))
  }

  failed(failure: ConnectFailure): void {
    this.#options.onFailure(failure, this.address)
    const givenUpBy = failure.type === 'handshake' ? failure.givenUpBy : undefined
    if (givenUpBy !== undefined) this.#quarantineInReturn(givenUpBy)
  }

  lost(lane: Lane, peer: NodeId, loss: LinkLoss): void {
    this.runtime.eventStream.publish(new PeerDisconnected(peer, lane, loss))
  }

  gaveUp(lane: Lane, peer: NodeId, reason: RemoteDeadLetterReason): void {
    this.runtime.eventStream.publish(new WaitingGivenUp(peer, lane, reason))
  }

  /** What an actor has sent before it died may have gone by either lane. What it returns takes the call back. */
  whenDataSettled(done: () => void): () => void {
    const { data, large } = this.#links
    let waiting = 2
    const settled = (): void => void (--waiting === 0 && done())
    const waits = [data.whenSettled(settled), large.whenSettled(settled)]
    return () => waits.forEach((takeBack) => takeBack())
  }

  /**
   * It is forgotten: whatever its refs are used for from now on happens in its successor. Where it was not idle, what
   * waited is lost, and who watches an actor there is told.
   */
  retire(successor: () => Association | undefined, knownNow: () => Incarnations | undefined): void {
    const { peer } = this
    const isCountedOn = this.#isCountedOn
    if (peer !== undefined && !this.#deathWatch.isFresh) this.#incarnations.forgetCount(peer)
    this.#successor = successor
    this.#knownNow = knownNow
    this.#claim?.stop()
    const outboxOf = (lane: Lane): Outbox | undefined => {
      const next = successor()
      return next === undefined ? undefined : next.#links[lane]
    }
    for (const link of Object.values(this.#links)) link.retire(outboxOf)
    for (const { link } of this.#inbound.values()) link.close('too many peers')
    this.#inbound.clear()
    this.#deathWatch.giveUp()
    // It may wait to hear of a death, and counts on: it has to learn that this node has given it up.
    if (peer !== undefined && isCountedOn) this.quarantine(peer, 'too many peers')
  }

  /** Takes no more messages; calls `done` when what was sent has come or is lost. */
  stop(done: () => void): void {
    const { control, data, large } = this.#links
    let waiting = 2
    control.takeNoMore()
    // A death is told behind what the dead actor had sent, so its lane comes last.
    const settled = (): void => void (--waiting === 0 && control.stop(done))
    data.stop(settled)
    large.stop(settled)
  }

  close(): void {
    this.#claim?.stop()
    for (const link of Object.values(this.#links)) link.close()
  }
}
