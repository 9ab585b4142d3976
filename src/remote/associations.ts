/**
 * Every peer this node has to do with, by address. Those that nothing is going on with are forgotten after a while.
 * Whoever sends a ref, or calls, may name any address, so their number is bounded as well: beyond, the idle go at once,
 * then those that were only named and never reached, oldest first, and members of the cluster never. When nobody has to
 * go, the newcomer does not come in. Refs to actors of peers that were forgotten lead on to the association that takes
 * their place when they are used. Which of their incarnations are over is remembered for longer.
 *
 * Invariant: no more than `peersMax` are kept.
 */
import { assert } from '../foundation/assert.ts'
import { seconds } from '../foundation/duration.ts'
import type { Timer, Timers } from '../foundation/timers.ts'
import { Association, type AssociationOptions } from './association.ts'
import type { Objection } from './handshake/handshake-inputs.ts'
import { Incarnations } from './incarnations.ts'
import { Members } from './members.ts'
import { RepeatedNews } from './repeated-news.ts'
import { type Address, addressOfNode, type NodeId } from '../foundation/node-id.ts'

/** For each peer that may be kept, so many are remembered by what is known of their incarnations. */
const rememberedPerPeer = 8

/** A sweep looks at all of them, so the next is made when this share of them has come anew, or after a while. */
const sweptShare = 1 / 8
const sweepPauseMs = seconds(1)

type AssociationsOptions = Omit<
  AssociationOptions,
  'address' | 'incarnations' | 'nextLearnt' | 'members' | 'onReached'
>

export class Associations {
  readonly #options: AssociationsOptions
  readonly #peersMax: number
  readonly #byAddress = new Map<Address, Association>()
  /** Of peers that are not kept, oldest first. */
  readonly #incarnations = new Map<Address, Incarnations>()
  readonly #members = new Members()
  /** Those that are kept, are no members and were never reached, oldest first. */
  readonly #claimed = new Set<Association>()
  readonly #refusals = new RepeatedNews()
  /** Those that were idle when it was last looked at who is. */
  #idle = new Set<Association>()
  /** Runs while any are kept. */
  #looking: Timer | undefined
  #cameSinceSweep = 0
  #sweptAtMs = -Infinity
  #isMakingRoom = false
  #learnt = 0

  constructor(options: AssociationsOptions) {
    this.#options = options
    this.#peersMax = options.world.settings.peersMax
  }

  /** Creates it when there is none: it costs little until something is sent. Nothing goes by one that found no room. */
  with(address: Address): Association {
    return this.admit(address) ?? this.#refused(address)
  }

  /** Undefined when there is no room for it. */
  admit(address: Address): Association | undefined {
    const admitted = this.#roomFor(address)
    if (admitted === undefined) this.#tellOfTooMany(`${address} is not spoken to`)
    return admitted
  }

  /** `calls`: it is met because it calls, and not because it is to be called. */
  #roomFor(address: Address, calls = false): Association | undefined {
    const known = this.#byAddress.get(address)
    if (known !== undefined) return known
    if (this.#byAddress.size >= this.#peersMax) this.#sweep()
    const isFull = this.#byAddress.size >= this.#peersMax
    const leaver = isFull ? this.#whoGoesFor(address, calls) : undefined
    if (isFull && leaver === undefined) return undefined
    if (leaver !== undefined) this.#forget(leaver)
    const association = this.#create(address)
    this.#incarnations.delete(address)
    this.#byAddress.set(address, association)
    this.#rank(association)
    this.#cameSinceSweep++
    this.#lookLater()
    if (leaver !== undefined) this.#end(leaver)
    assert(this.#byAddress.size <= this.#peersMax, 'no more peers are kept than may be')
    return association
  }

  find(address: Address): Association | undefined {
    return this.#byAddress.get(address)
  }

  /**
   * Whom to refuse in a handshake that begins now; one whom we have called has the address for sure. Who calls, and is not
   * refused, is kept from then on: to refuse it later would look to it as if it had been let in.
   */
  objections(isCalled: boolean): (node: NodeId) => Objection {
    const since = this.#learnt
    return (node) => {
      const address = addressOfNode(node)
      const incarnations = this.#knownAt(address)
      const exclusion = incarnations?.exclusionOf(node)
      if (exclusion !== undefined) return exclusion
      if (incarnations?.isOvertaken(node, since) === true) return 'overtaken'
      return isCalled ? undefined : this.#objectionToCaller(node, address)
    }
  }

  #objectionToCaller(node: NodeId, address: Address): Objection {
    const known = this.find(address)
    if (known !== undefined) return known.claimed(node)
    return this.#roomFor(address, true) === undefined ? 'too-many-peers' : undefined
  }

  #knownAt(address: Address): Incarnations | undefined {
    return this.find(address)?.incarnations ?? this.#incarnations.get(address)
  }

  /** How many are kept. */
  get count(): number {
    return this.#byAddress.size
  }

  /** Messages that wait for any of them, not yet handed to the network. */
  get queued(): number {
    let sum = 0
    for (const { queued } of this.#byAddress.values()) sum += queued
    return sum
  }

  /** Resolves when everything sent has come or is lost, or when the time is up. */
  stop(timers: Timers, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      let waiting = this.#byAddress.size
      if (waiting === 0) return resolve()
      const patience = timers.after(waitMs, resolve)
      const stopped = (): void => {
        if (--waiting > 0) return
        patience.cancel()
        resolve()
      }
      for (const association of this.#byAddress.values()) association.stop(stopped)
    })
  }

  close(): void {
    this.#looking?.cancel()
    for (const association of this.#byAddress.values()) association.close()
  }

  // ---- members

  nodeJoined(node: NodeId): void {
    this.#members.add(node)
    this.#rankAt(addressOfNode(node))
  }

  nodeRemoved(node: NodeId): void {
    this.#members.delete(node)
    this.#rankAt(addressOfNode(node))
    this.#tellOf(node, (association) => association.nodeRemoved(node))
  }

  quarantine(node: NodeId, reason: string): void {
    this.#tellOf(node, (association) => association.quarantine(node, reason))
  }

  /** Of one that is not kept, it is remembered. */
  #tellOf(node: NodeId, tell: (association: Association) => void): void {
    const address = addressOfNode(node)
    const known = this.find(address)
    if (known !== undefined) return tell(known)
    const association = this.#refused(address)
    tell(association)
    this.#remember(address, association.incarnations)
  }

  // ---- room

  #create(address: Address): Association {
    return new Association({
      ...this.#options,
      address,
      incarnations: this.#incarnations.get(address) ?? new Incarnations(),
      nextLearnt: () => ++this.#learnt,
      members: this.#members,
      onReached: (association) => this.#rank(association),
    })
  }

  /** Comes in when it is used, should there be room by then. */
  #refused(address: Address): Association {
    const association = this.#create(address)
    this.#retire(association)
    return association
  }

  #rankAt(address: Address): void {
    const association = this.find(address)
    if (association !== undefined) this.#rank(association)
  }

  #rank(association: Association): void {
    const { address, wasReached } = association
    const isClaimed =
      !wasReached && !this.#members.isAt(address) && this.find(address) === association
    if (isClaimed) this.#claimed.add(association)
    else this.#claimed.delete(association)
  }

  /** Not for each newcomer: it may find all in use. */
  #sweep(): void {
    // Who hears of what is lost may send more: whoever has just come must not go for that.
    if (this.#isMakingRoom) return
    const nowMs = this.#options.world.runtime.environment.clock.monotonicMs()
    const haveFewCome = this.#cameSinceSweep < this.#peersMax * sweptShare
    if (haveFewCome && nowMs - this.#sweptAtMs < sweepPauseMs) return
    this.#cameSinceSweep = 0
    this.#sweptAtMs = nowMs
    for (const association of [...this.#byAddress.values()]) {
      if (association.isForgettable) this.#letGo(association)
    }
  }

  #lookLater(): void {
    const { runtime, settings } = this.#options.world
    this.#looking ??= runtime.environment.timers.after(settings.forgetAfterMs, () => {
      this.#looking = undefined
      this.#look()
      if (this.#byAddress.size > 0) this.#lookLater()
    })
  }

  /** Who is idle now and was before is not needed. */
  #look(): void {
    const before = this.#idle
    this.#idle = new Set()
    for (const association of [...this.#byAddress.values()]) {
      if (!association.isForgettable) continue
      if (before.has(association)) this.#letGo(association)
      else this.#idle.add(association)
    }
  }

  #letGo(association: Association): void {
    this.#forget(association)
    this.#end(association)
  }

  #whoGoesFor(address: Address, calls: boolean): Association | undefined {
    // Who hears of what is lost may send more: that must not make the next one go.
    if (this.#isMakingRoom) return undefined
    // One that calls does not push out another that is connected: that one would be back at once, and push out the next.
    for (const oldest of this.#claimed) if (!(calls && oldest.isCalling)) return oldest
    if (!this.#members.isAt(address)) return undefined
    for (const each of this.#byAddress.values()) if (!this.#members.isAt(each.address)) return each
    return undefined
  }

  #forget(association: Association): void {
    const { address, incarnations } = association
    this.#byAddress.delete(address)
    this.#claimed.delete(association)
    this.#idle.delete(association)
    this.#remember(address, incarnations)
  }

  #end(association: Association): void {
    const { address, isIdle } = association
    if (!isIdle) this.#tellOfTooMany(`${address} is forgotten`)
    const isInner = this.#isMakingRoom
    this.#isMakingRoom = true
    this.#retire(association)
    this.#isMakingRoom = isInner
  }

  #retire(association: Association): void {
    const { address } = association
    association.retire(
      () => this.admit(address),
      () => this.#knownAt(address),
    )
  }

  #tellOfTooMany(what: string): void {
    const { logger, environment } = this.#options.world.runtime
    const leftOut = this.#refusals.leftOut('', environment.clock.monotonicMs())
    if (leftOut === undefined) return
    logger.warn(
      { peersMax: this.#peersMax, leftOut },
      `This node keeps ${this.#peersMax} peers in mind, members and those that were reached first, and more were named: ${what}. What waits for it or is sent to it becomes a dead letter, and who watches its actors is told that they are gone. If the cluster is that large, raise settings.remote.peersMax on every node; if not, look for who sends refs with addresses at which nobody listens.`,
    )
  }

  #remember(address: Address, incarnations: Incarnations): void {
    if (incarnations.isBlank) return
    this.#incarnations.set(address, incarnations)
    if (this.#incarnations.size <= rememberedPerPeer * this.#peersMax) return
    for (const oldest of this.#incarnations.keys()) {
      this.#incarnations.delete(oldest)
      return
    }
  }
}
