/**
 * Who watches whom between this node and one peer, and the system messages that carry it. News of a death waits until
 * what the dead actor had sent has come: for a bounded time, and no more of them than system messages may wait.
 */
import type { InternalRef, Watcher } from '../../actor/internals.ts'
import { unreachable } from '../../foundation/assert.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { RemoteRef } from '../ref/remote-ref.ts'
import type { ByteCursor } from '../wire/byte-cursor.ts'
import { RemoteWatches } from './remote-watches.ts'
import { SystemReceiver, SystemSender, type WaitingSystemMessage } from './system-delivery.ts'
import {
  type AddressedSystemMessage,
  readSystemFrame,
  type SystemMessage,
} from './system-messages.ts'
import { WatchedHere } from './watched-here.ts'

export interface RemoteDeathWatchOptions {
  readonly clock: Clock
  readonly timers: Timers
  readonly systemMessagesMax: number
  readonly deathNoticeWaitMs: number
  /** An actor of this node, by the text that stands in a `Watch`. */
  readonly actorAt: (path: string) => InternalRef
  /** The incarnation that is spoken to. */
  readonly peer: () => NodeId | undefined
  /** Sends now if the control lane is open; otherwise sees to it that it opens, and `numbered` is asked then. */
  readonly send: (sequence: number, message: SystemMessage) => void
  /** Sees to it that the control lane is open. */
  readonly wake: () => void
  /** Calls back when everything sent on the data lane so far has come or is lost. What it returns takes that back. */
  readonly whenDataSettled: (done: () => void) => () => void
  /**
   * How long a system message for that node may wait; undefined for whichever is there. It may change with time. Infinity for one
   * that nobody waits for: it is not called, and may have the message when it is connected.
   */
  readonly patienceMs: (node: NodeId | undefined) => number
  /** It is never shorter than this. */
  readonly patienceMinMs: number
  /** No more can be kept, or one has waited for too long: the peer has to be given up. */
  readonly onGiveUp: (reason: LostPatience) => void
}

export interface LostPatience {
  readonly text: string
  /** The peer was silent, and not merely slow. */
  readonly isSilence: boolean
}

const tooMany: LostPatience = { text: 'too many system messages are unconfirmed', isSilence: false }
const tooLong: LostPatience = {
  text: 'a system message stayed unconfirmed for too long',
  isSilence: true,
}

/** A death that waits to be told. */
interface Announcement {
  readonly tell: () => void
  /** Nothing of it stays. */
  readonly forget: () => void
}

export class RemoteDeathWatch {
  readonly #options: RemoteDeathWatchOptions
  readonly #watches = new RemoteWatches()
  readonly #watchedHere = new WatchedHere((id) => this.#announce(id))
  readonly #sender: SystemSender
  /** For an incarnation that this node has heard of but not spoken to: another one is known to live there, so far. */
  #aside: WaitingSystemMessage[] = []
  #receiver = new SystemReceiver()
  /** Oldest first. */
  readonly #announced = new Set<Announcement>()
  /** Runs while anything is unconfirmed. */
  #patience: Timer | undefined

  constructor(options: RemoteDeathWatchOptions) {
    this.#options = options
    this.#sender = new SystemSender()
  }

  watch(ref: RemoteRef, watcher: Watcher): void {
    const id = this.#watches.add(ref, watcher)
    if (id !== undefined) this.#tell({ type: 'Watch', id, path: ref.wireText }, ref.node)
  }

  unwatch(ref: RemoteRef, watcher: Watcher): void {
    const id = this.#watches.remove(ref, watcher)
    if (id !== undefined) this.#tell({ type: 'Unwatch', id }, ref.node)
  }

  isWatched(ref: RemoteRef): boolean {
    return this.#watches.has(ref)
  }

  /** Whether anybody here watches somebody there. */
  get isWatching(): boolean {
    return this.#watches.size > 0
  }

  /**
   * These are out of reach: those who watch them are told. The peer may live and watch them on for this node: that it need
   * not is left here for it, however long it is away, and it is not called for that.
   */
  giveUpWatches(isChosen: (ref: RemoteRef) => boolean): void {
    this.#takeBack(this.#watches.idsOf(isChosen))
    if (this.unconfirmed > this.#options.systemMessagesMax) {
      this.#options.onGiveUp(tooMany)
      return this.giveUp()
    }
    this.#watchPatience()
    this.#watches.giveUp(isChosen)
  }

  #takeBack(ids: ReadonlySet<number>): void {
    const node = this.#options.peer()
    const sinceMs = this.#options.clock.monotonicMs()
    const isMeant = ({ message: { type, id } }: AddressedSystemMessage): boolean =>
      type === 'Watch' && ids.has(id)
    // What nobody was told need not be taken back.
    const untold = new Set(this.#aside.filter(isMeant).map(({ message }) => message.id))
    this.#aside = this.#aside.filter((each) => !isMeant(each))
    if (node === undefined) return this.#sender.restart((each) => !isMeant(each))
    // Also what was left before, when somebody was there for a moment.
    const isOver = ({ message: { type, id } }: AddressedSystemMessage): boolean =>
      type === 'Unwatch' || (type === 'Watch' && !this.#watches.hasId(id))
    this.#sender.revise((each) =>
      isMeant(each) || isOver(each) ? { ...each, node, isLeft: true } : each,
    )
    for (const id of ids) {
      if (untold.has(id)) continue
      this.#sender.add({ message: { type: 'Unwatch', id }, node, sinceMs, isLeft: true })
    }
  }

  /** The peer is there: it is called for what was left for it. */
  cameBack(): void {
    if (!this.#isAny(({ isLeft }) => isLeft === true)) return
    const sinceMs = this.#options.clock.monotonicMs()
    this.#sender.revise((each) =>
      each.isLeft === true ? { ...each, isLeft: false, sinceMs } : each,
    )
    this.#options.wake()
    this.#watchPatience()
  }

  get isIdle(): boolean {
    const watched = this.#watches.size + this.#watchedHere.size
    return !this.isAwaiting && this.#announced.size + watched === 0
  }

  /**
   * Whether no system message has passed in either direction. Otherwise both ends count on from where they are, and one that
   * forgot would take what is new for old, or miss what never was.
   */
  get isFresh(): boolean {
    return this.#sender.isFresh && this.#receiver.last === 0
  }

  // ---- system messages

  /** How many are kept: they have not been confirmed. */
  get unconfirmed(): number {
    return this.#sender.size + this.#aside.length
  }

  *#waiting(): IterableIterator<WaitingSystemMessage> {
    yield* this.#sender.waiting()
    yield* this.#aside
  }

  /** Whether the peer has to be called for any of them. */
  get isAwaiting(): boolean {
    return this.#isAny((each) => this.#hasEnd(each))
  }

  /** Whether somebody there has not been told of a death. */
  get hasDeathsToTell(): boolean {
    return this.#isAny((each) => each.message.type === 'Died' && this.#hasEnd(each))
  }

  #isAny(isMeant: (each: WaitingSystemMessage) => boolean): boolean {
    for (const each of this.#waiting()) if (isMeant(each)) return true
    return false
  }

  /** Whether the patience with it has. */
  #hasEnd({ node, isLeft }: WaitingSystemMessage): boolean {
    return isLeft !== true && this.#options.patienceMs(node) < Infinity
  }

  /** Whether the peer counts on this node: it watches somebody here, or has not been told of a death. */
  get isOwing(): boolean {
    return this.#watchedHere.size + this.#announced.size > 0 || this.hasDeathsToTell
  }

  /** The number of the last one that was taken from the peer. */
  get lastTaken(): number {
    return this.#receiver.last
  }

  /** What a new connection has to carry again. */
  numbered(): Iterable<readonly [sequence: number, message: SystemMessage]> {
    return this.#sender.numbered()
  }

  /** False when the peer counts from a time that this node has forgotten. */
  confirmed(sequence: number): boolean {
    const isKnown = this.#sender.confirmed(sequence)
    // What is left is not looked through each time. A timer that nothing needs any more finds that out by itself.
    if (this.unconfirmed === 0) this.#watchPatience()
    return isKnown
  }

  /** From behind the kind of a frame. Throws MalformedFrame. False when the peer counts from a time that this node has forgotten. */
  take(cursor: ByteCursor): boolean {
    const { sequence, message } = readSystemFrame(cursor)
    if (this.#receiver.isForgotten(sequence)) return false
    if (this.#receiver.take(sequence)) this.#took(message)
    return true
  }

  #took(message: SystemMessage): void {
    switch (message.type) {
      case 'Watch':
        return this.#watchedHere.watch(message.id, this.#options.actorAt(message.path))
      case 'Unwatch':
        return this.#watchedHere.unwatch(message.id)
      case 'Died':
        return this.#watches.died(message.id)
      default:
        return unreachable(message)
    }
  }

  #tell(message: SystemMessage, node: NodeId | undefined): void {
    const { peer, systemMessagesMax, clock, send, wake } = this.#options
    if (this.unconfirmed >= systemMessagesMax) {
      this.#options.onGiveUp(tooMany)
      // Also what is for another incarnation: this message has no place, so whoever waits for it must not wait on.
      return this.giveUp()
    }
    const current = peer()
    const waiting = { message, node, sinceMs: clock.monotonicMs() }
    if (node !== undefined && current !== undefined && node !== current) {
      this.#aside.push(waiting)
      wake()
    } else {
      send(this.#sender.add(waiting), message)
    }
    if (this.#hasEnd(waiting)) this.#awaitPatience(this.#leftMs(waiting))
  }

  // ---- patience

  /** A timer at most as long as the shortest patience: whatever is added meanwhile is not due before it. */
  #watchPatience(): void {
    if (!this.#isAny((each) => this.#hasEnd(each))) {
      this.#patience?.cancel()
      this.#patience = undefined
    } else if (this.#patience === undefined) {
      let leftMs = Infinity
      for (const each of this.#waiting()) leftMs = Math.min(leftMs, this.#leftMs(each))
      this.#awaitPatience(leftMs)
    }
  }

  #awaitPatience(leftMs: number): void {
    const { timers, patienceMinMs } = this.#options
    this.#patience ??= timers.after(Math.min(patienceMinMs, leftMs), () => this.#look())
  }

  #look(): void {
    this.#patience = undefined
    this.#giveUpAside()
    const isOverdue = [...this.#sender.waiting()].some((each) => this.#leftMs(each) <= 0)
    if (isOverdue) {
      this.#options.onGiveUp(tooLong)
      this.#giveUpPeer()
    }
    this.#watchPatience()
  }

  #giveUpPeer(): void {
    const peer = this.#options.peer()
    if (peer === undefined) return this.#giveUpUnmet()
    this.forgetMessagesTo(peer)
    this.nodeGone(peer)
  }

  /** Nobody was met there, so nothing has left: the incarnations whose time is over go, and others may still be met. */
  #giveUpUnmet(): void {
    const overdue = new Set<NodeId | undefined>()
    for (const each of this.#sender.waiting()) if (this.#leftMs(each) <= 0) overdue.add(each.node)
    this.#sender.restart(({ node }) => !overdue.has(node))
    this.#watches.giveUp(({ node }) => overdue.has(node))
  }

  /** An incarnation that somebody has named, and nobody has met in time: it is over, or never was. */
  #giveUpAside(): void {
    const overdue = new Set<NodeId | undefined>()
    for (const each of this.#aside) if (this.#leftMs(each) <= 0) overdue.add(each.node)
    if (overdue.size === 0) return
    this.#aside = this.#aside.filter(({ node }) => !overdue.has(node))
    this.#watches.giveUp(({ node }) => overdue.has(node))
  }

  #leftMs({ sinceMs, node, isLeft }: WaitingSystemMessage): number {
    if (isLeft === true) return Infinity
    return sinceMs + this.#options.patienceMs(node) - this.#options.clock.monotonicMs()
  }

  /** Not before what the dead actor had sent: its last words come first. */
  #announce(id: number): void {
    const { timers, deathNoticeWaitMs, systemMessagesMax, whenDataSettled, peer } = this.#options
    const node = peer()
    let takeBack = (): void => undefined
    const announcement: Announcement = {
      tell: () => {
        if (!this.#announced.has(announcement)) return
        announcement.forget()
        // Whoever watched is gone when another lives there by now.
        if (peer() === node) this.#tell({ type: 'Died', id }, node)
      },
      forget: () => {
        this.#announced.delete(announcement)
        patience.cancel()
        takeBack()
      },
    }
    const patience = timers.after(deathNoticeWaitMs, announcement.tell)
    this.#announced.add(announcement)
    takeBack = whenDataSettled(announcement.tell)
    // A peer that watches the dead faster than it takes what it is sent must not fill the memory.
    if (this.#announced.size <= systemMessagesMax) return
    const [oldest] = this.#announced
    oldest?.tell()
  }

  // ---- incarnations

  /** This is who lives at the address now; `isFirst` when nobody was known before. */
  peerChanged(node: NodeId, isFirst: boolean): void {
    this.#sender.restart((each) => each.node === undefined || each.node === node)
    for (const each of this.#aside) if (each.node === node) this.#sender.add(each)
    this.#aside = []
    this.#receiver = new SystemReceiver()
    this.#watchedHere.clear()
    for (const announcement of this.#announced) announcement.forget()
    this.#watchPatience()
    // Whoever is watched by name only lived on the one before, if there was one.
    this.#watches.giveUp((ref) => (ref.node === undefined ? !isFirst : ref.node !== node))
  }

  /** That incarnation will not be heard of again: those who watch its actors are told. */
  nodeGone(node: NodeId): void {
    const isPeer = node === this.#options.peer()
    if (isPeer) {
      this.#watchedHere.clear()
      for (const announcement of this.#announced) announcement.forget()
    }
    this.#watches.giveUp((ref) => ref.node === node || (isPeer && ref.node === undefined))
  }

  /** Nothing more is sent to that incarnation. */
  forgetMessagesTo(node: NodeId): void {
    this.#aside = this.#aside.filter((each) => each.node !== node)
    const peer = this.#options.peer()
    if (peer === node) this.#sender.restart(() => false)
    else if (peer === undefined) this.#sender.restart((each) => each.node !== node)
    this.#watchPatience()
  }

  /**
   * That incarnation is not waited for any more. Where it was met, what is kept for it keeps its numbers, in case that it lives and
   * connects: it counts.
   */
  nodeRemoved(node: NodeId): void {
    if (node === this.#options.peer()) {
      // What was for whoever is there was for this one, and is for no other.
      this.#sender.revise((each) => ({ ...each, node }))
      this.#watchPatience()
    } else {
      this.forgetMessagesTo(node)
    }
    this.nodeGone(node)
  }

  /** There is nobody to be heard of, and nobody to be told. */
  giveUp(): void {
    this.#sender.restart(() => false)
    this.#aside = []
    this.#watchPatience()
    this.#watchedHere.clear()
    for (const announcement of this.#announced) announcement.forget()
    this.#watches.giveUp(() => true)
  }
}
