/**
 * Who watches whom between this node and one peer, and the system messages that carry it. News of a death waits until
 * what the dead actor had sent has come: for a bounded time, and no more of them than system messages may wait.
 */
import type { InternalRef, Watcher } from '../../actor/internals.ts'
import { unreachable } from '../../foundation/assert.ts'
import type { Clock } from '../../foundation/clock.ts'
import type { Timers } from '../../foundation/timers.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { RemoteRef } from '../ref/remote-ref.ts'
import type { ByteCursor } from '../wire/byte-cursor.ts'
import { RemoteWatches } from './remote-watches.ts'
import { SystemReceiver, SystemSender } from './system-delivery.ts'
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
  /** No more can be kept: the peer has to be given up. */
  readonly onOverflow: () => void
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
  #aside: AddressedSystemMessage[] = []
  #receiver = new SystemReceiver()
  /** Oldest first. */
  readonly #announced = new Set<Announcement>()

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

  get isIdle(): boolean {
    const watched = this.#watches.size + this.#watchedHere.size
    return this.unconfirmed + this.#announced.size + watched === 0
  }

  // ---- system messages

  /** How many have not been confirmed. */
  get unconfirmed(): number {
    return this.#sender.size + this.#aside.length
  }

  /** Whether somebody there has not been told of a death. */
  get hasDeathsToTell(): boolean {
    for (const [, { type }] of this.#sender.numbered()) if (type === 'Died') return true
    return this.#aside.some(({ message }) => message.type === 'Died')
  }

  /** For how long the oldest of them has waited. */
  get oldestWaitMs(): number {
    const nowMs = this.#options.clock.monotonicMs()
    return nowMs - (this.#sender.oldestMs ?? nowMs)
  }

  /** The number of the last one that was taken from the peer. */
  get lastTaken(): number {
    return this.#receiver.last
  }

  /** What a new connection has to carry again. */
  numbered(): Iterable<readonly [sequence: number, message: SystemMessage]> {
    return this.#sender.numbered()
  }

  confirmed(sequence: number): void {
    this.#sender.confirmed(sequence)
  }

  /** From behind the kind of a frame. Throws MalformedFrame. */
  take(cursor: ByteCursor): void {
    const { sequence, message } = readSystemFrame(cursor)
    if (!this.#receiver.take(sequence)) return
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
    if (this.unconfirmed >= systemMessagesMax) return this.#options.onOverflow()
    const current = peer()
    if (node !== undefined && current !== undefined && node !== current) {
      this.#aside.push({ message, node })
      wake()
    } else {
      send(this.#sender.add({ message, node }, clock.monotonicMs()), message)
    }
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
    const nowMs = this.#options.clock.monotonicMs()
    for (const each of this.#aside) if (each.node === node) this.#sender.add(each, nowMs)
    this.#aside = []
    this.#receiver = new SystemReceiver()
    this.#watchedHere.clear()
    for (const announcement of this.#announced) announcement.forget()
    // Whoever is watched by name only lived on the one before, if there was one.
    this.#watches.giveUp((ref) => (ref.node === undefined ? !isFirst : ref.node !== node))
  }

  /** That incarnation will not be heard of again: those who watch its actors are told. */
  nodeGone(node: NodeId): void {
    const isPeer = node === this.#options.peer()
    if (isPeer) this.#watchedHere.clear()
    this.#watches.giveUp((ref) => ref.node === node || (isPeer && ref.node === undefined))
  }

  /** Nothing more is sent to that incarnation. */
  forgetMessagesTo(node: NodeId): void {
    this.#aside = this.#aside.filter((each) => each.node !== node)
    if (node === this.#options.peer()) this.#sender.restart(() => false)
  }

  /** There is nobody to be heard of. */
  giveUp(): void {
    this.#sender.restart(() => false)
    this.#aside = []
    this.#watches.giveUp(() => true)
  }
}
