/**
 * One lane to one peer: takes messages, and hands them to the network in as few writes as possible.
 *
 *   idle ──message──▶ dialing ──established──▶ open ──lost──▶ pausing ──back-off over──▶ dialing …
 *    ▲                   └───────failed─────────────────────▶ pausing
 *    └── nothing left to send, or given up: what waits becomes dead letters ──┘         stopped
 *
 * Messages of one turn of the event loop share one write, up to 4 KiB. It never writes more than the network asks for:
 * beyond, messages wait, up to a limit.
 *
 * Invariant: bytes made for one connection are never handed to another, and a message for one incarnation of the peer
 * is never handed to a connection with another.
 */
import type { RemoteDeadLetterReason } from '../remote-drop-reasons.ts'
import type { Question } from '../../actor/internals.ts'
import { assert } from '../../foundation/assert.ts'
import type { Task } from '../../foundation/dispatcher.ts'
import { CannotSerialize } from '../../serialization/index.ts'
import type { ByteBuffer } from '../../serialization/internals.ts'
import type { Lane } from '../lane.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Outbox, RemoteRecipient } from '../ref/remote-ref.ts'
import { ByteCursor } from '../wire/byte-cursor.ts'
import { type Confirm, confirmBytesMax, readConfirmFrame } from '../wire/confirm-frame.ts'
import { beginFrame, endFrame, frameKinds } from '../wire/frame.ts'
import { Confirmations } from './confirmations.ts'
import { Dialer, isFinal } from './dialer.ts'
import type { LinkOwner, LinkWorld } from './link-owner.ts'
import { LostLetters } from './lost-letters.ts'
import { type Letter, OutboundQueue } from './outbound-queue.ts'
import type { ConnectFailure, FrameHandler, PeerConnection } from './peer-connection.ts'

/** A turn that has more to say writes before it ends: the peer works on the first part while this node makes the next. */
const writeBytes = 4 * 1024

export class OutboundLink implements Outbox, Task {
  readonly isInternal = true
  readonly #lane: Lane
  readonly #world: LinkWorld
  readonly #owner: LinkOwner
  readonly #queue: OutboundQueue
  readonly #queueMessagesMax: number
  readonly #queueBytesMax: number
  readonly #letters: LostLetters
  readonly #dialer: Dialer
  readonly #confirmations = new Confirmations()
  #connection: PeerConnection | undefined
  #peer: NodeId | undefined
  #isStopped = false
  /** Of one that stops and has something to tell: the attempt to connect has ended. */
  #whenTried: () => void = () => undefined
  /** What becomes of what is sent once it takes no more. */
  #stopReason: RemoteDeadLetterReason = 'remoting-stopped'
  /** For who still sends here after it was forgotten; undefined while there is no room for another. */
  #successor: ((lane: Lane) => Outbox | undefined) | undefined
  /** The network wants no more for now. */
  #isBlocked = false
  /** The peer is asked to confirm everything taken so far: to ask again would only make what waits longer. */
  #isAsked = false
  /** Of the dispatcher; those of a connection it counts itself. */
  #hasTurn = false

  constructor(lane: Lane, world: LinkWorld, owner: LinkOwner) {
    this.#lane = lane
    this.#world = world
    this.#owner = owner
    this.#letters = new LostLetters(world.runtime)
    const { queueMessagesMax, largeQueueMessagesMax, queueBytesMax } = world.settings
    this.#queueMessagesMax = lane === 'large' ? largeQueueMessagesMax : queueMessagesMax
    this.#queueBytesMax = queueBytesMax
    this.#queue = new OutboundQueue({
      makeCodec: () => world.makeCodec(lane),
      // A frame holds one large message, and its bytes count at once.
      ...(lane === 'large' && { gatheredMax: 1 }),
      onRefused: (letter, error) => this.#letters.refused(letter, error),
      onExpired: (letter) => this.#letters.dropped(letter, 'expired'),
      onLeft: (places) => this.#confirmations.tookOut(places),
    })
    this.#dialer = new Dialer(lane, world, owner.address, {
      established: (peer, _lane, connection) => this.#opened(peer, connection),
      failed: (failure) => this.#failed(failure),
      hasWork: () => this.#hasWork,
      gaveUp: (reason) => {
        this.giveUp(reason, () => true)
        this.#owner.unreachable(this.#lane)
      },
      idle: () => this.#peer !== undefined && this.disconnect(this.#peer, 'idle'),
    })
  }

  /** Messages that wait here, not yet handed to the network. */
  get queued(): number {
    return this.#queue.count
  }

  get isOpen(): boolean {
    return this.#connection !== undefined
  }

  // ---- messages

  send(recipient: RemoteRecipient, message: unknown): void {
    try {
      this.#take(recipient, message, undefined)
    } catch (error) {
      if (!(error instanceof CannotSerialize)) throw error
      this.#letters.refused({ recipient, message, question: undefined }, error)
    }
  }

  sendQuestion(recipient: RemoteRecipient, message: unknown, question: Question): void {
    this.#world.registerAsk(question)
    try {
      this.#take(recipient, message, question)
    } catch (error) {
      // It has a number, which is free for the next only when it is over.
      question.fail(error)
      throw error
    }
  }

  #take(recipient: RemoteRecipient, message: unknown, question: Question | undefined): void {
    const { node } = recipient
    const fate = node === this.#peer || node === undefined ? undefined : this.#fateOf(node)
    if (fate !== undefined) return this.#letters.dead({ recipient, message, question }, fate)
    if (this.#isStopped) return this.#passOn({ recipient, message, question })
    if (this.#queue.count >= this.#queueMessagesMax || this.#queue.bytes >= this.#queueBytesMax) {
      return this.#letters.dropped({ recipient, message, question }, 'outbound-queue-full')
    }
    this.#queue.add(recipient, message, question)
    this.#isAsked = false
    if (this.#queue.bytes >= writeBytes && this.isOpen && !this.#isBlocked) this.#write()
    this.wake()
  }

  #passOn(letter: Letter): void {
    const { recipient, message, question } = letter
    const successor = this.#successor?.(this.#lane)
    if (successor === undefined) this.#letters.dead(letter, this.#stopReason)
    else if (question === undefined) successor.send(recipient, message)
    else successor.sendQuestion(recipient, message, question)
  }

  /** An open link belongs to one incarnation: a message for another has come too late. */
  #fateOf(node: NodeId): RemoteDeadLetterReason | undefined {
    return this.isOpen ? 'former-incarnation' : this.#owner.fateOf(node)
  }

  /** Appends a frame behind all messages so far. Only on an open link. */
  sendFrame(write: (target: ByteBuffer) => void): void {
    assert(this.#connection !== undefined, 'frames that are kept elsewhere wait for the link')
    this.#queue.appendFrame(write)
    this.wake()
  }

  /** Calls `done` when everything sent so far has come or is lost. What it returns takes that back. */
  whenSettled(done: () => void): () => void {
    const takeBack = this.#confirmations.whenSettled(this.#queue.count, done)
    if (this.#confirmations.isAwaited && this.isOpen && !this.#isAsked) this.#askToConfirm()
    return takeBack
  }

  // ---- turns

  /** Asks for a turn, to connect or to write. */
  wake(): void {
    if (this.#connection !== undefined) return this.#connection.askForTurn()
    if (this.#hasTurn) return
    this.#hasTurn = true
    this.#world.runtime.dispatcher.execute(this)
  }

  /** The turn of a link that is not open. */
  run(): number {
    this.#hasTurn = false
    if (this.isOpen) this.wake()
    else if (!this.#isStopped && this.#hasWork) this.#dialer.begin()
    return 0
  }

  /** The turn of an open one, also when the network wants more again. */
  #ready(connection: PeerConnection): void {
    if (this.#connection === connection) this.#write()
  }

  #write(): void {
    this.#queue.gather()
    const connection = this.#connection
    if (connection === undefined || this.#isBlocked || this.#queue.bytes === 0) return
    this.#confirmations.handedOver(this.#queue.gatheredCount)
    this.#isBlocked = !connection.write(this.#queue.handOver())
    this.#queue.reuse(connection.isIdle)
    this.#dialer.used()
  }

  get #hasWork(): boolean {
    return this.#queue.count > 0 || this.#owner.needs(this.#lane)
  }

  // ---- connections

  #opened(peer: NodeId, connection: PeerConnection): FrameHandler {
    this.#connection = connection
    this.#peer = peer
    this.#isBlocked = false
    this.#isAsked = false
    this.#confirmations.connectionBegan()
    const isOfAnother = ({ node }: RemoteRecipient) => node !== undefined && node !== peer
    // What is left behind those was written anew just now.
    if (!this.giveUp('former-incarnation', isOfAnother)) this.#queue.connected()
    this.#owner.opened(this.#lane, peer)
    this.#whenTried()
    if (this.#confirmations.isAwaited) this.#askToConfirm()
    this.wake()
    return {
      frameBytesMax: confirmBytesMax,
      frame: (bytes, start, end) =>
        this.#confirmed(readConfirmFrame(new ByteCursor(bytes, start, end))),
      chunkEnd: () => undefined,
      drained: () => {
        if (this.#connection === connection) this.#isBlocked = false
        this.#ready(connection)
      },
      ready: () => this.#ready(connection),
      lost: (reason) => this.#lost(connection, reason),
    }
  }

  #failed(failure: ConnectFailure): void {
    if (isFinal(failure)) this.giveUp('connection-rejected', () => true)
    else if (this.#isStopped) this.giveUp('remoting-stopped', () => true)
    this.#owner.failed(failure)
    this.#whenTried()
  }

  #lost(connection: PeerConnection, reason: string): void {
    const peer = this.#peer
    if (this.#connection !== connection || peer === undefined) return
    this.#connection = undefined
    this.#peer = undefined
    this.#queue.restart()
    const unconfirmed = this.#confirmations.connectionLost()
    const waiting = this.#queue.countFor(peer)
    this.#owner.lost(this.#lane, peer, { reason, unconfirmed, waiting })
    // There is no next connection for what waits, and somebody waits for its end.
    if (this.#isStopped) this.giveUp(this.#stopReason, () => true)
    else this.#dialer.lost()
  }

  #confirmed({ messages, system }: Confirm): void {
    this.#confirmations.confirmed(messages)
    this.#owner.systemConfirmed(system)
  }

  #askToConfirm(): void {
    // First, since who hears of a loss while the frame is made may send more, which comes behind it.
    this.#isAsked = true
    this.sendFrame((target) => endFrame(target, beginFrame(target, frameKinds.flush)))
  }

  /** Closes the connection with that incarnation, if there is one; the next message opens another. */
  disconnect(peer: NodeId, reason: string): void {
    const connection = this.#connection
    if (connection === undefined || this.#peer !== peer) return
    this.#lost(connection, reason)
    connection.destroy(reason)
  }

  /**
   * What waits for these recipients becomes dead letters; all or none of those on one incarnation are chosen. False when
   * nothing does.
   */
  giveUp(
    reason: RemoteDeadLetterReason,
    isChosen: (recipient: RemoteRecipient) => boolean,
  ): boolean {
    const nodes = new Set<NodeId>()
    const letters = this.#queue.takeOut(isChosen)
    for (const letter of letters) {
      const { node } = letter.recipient
      if (node !== undefined) nodes.add(node)
      this.#letters.dead(letter, reason)
    }
    if (!this.#hasWork) this.#dialer.nothingWaits()
    for (const node of nodes) this.#owner.gaveUp(this.#lane, node, reason)
    return letters.length > 0
  }

  takeNoMore(): void {
    this.#isStopped = true
  }

  /** Takes no more messages; calls `done` when all that were taken have come or are lost. */
  stop(done: () => void): void {
    this.takeNoMore()
    // A connection that is on its way is waited for; after one that failed there is no time for the next.
    const mustBeTold = this.#owner.hasLastWords(this.#lane)
    if (this.isOpen) this.whenSettled(done)
    else if (this.#dialer.isPausing) {
      this.giveUp('remoting-stopped', () => true)
      this.whenSettled(done)
    } else {
      if (this.#queue.count > 0 || mustBeTold) this.#dialer.begin()
      // What must be told is no message: only an attempt shows what becomes of it.
      if (mustBeTold) this.#whenTried = () => this.whenSettled(done)
      else this.whenSettled(done)
    }
    this.#write()
  }

  /** It is forgotten: what waits is lost, and what is sent from now on is for its successor. */
  retire(successor: (lane: Lane) => Outbox | undefined): void {
    this.#isStopped = true
    this.#stopReason = 'too-many-peers'
    this.#successor = successor
    this.#dialer.stop()
    if (this.#peer !== undefined) this.disconnect(this.#peer, 'too many peers')
    this.giveUp(this.#stopReason, () => true)
  }

  /** Closes; what was not sent by now is lost. */
  close(): void {
    this.#write()
    this.#dialer.stop()
    const connection = this.#connection
    // Told now: when the other end answers, or does not, nobody may be here to say what was not confirmed.
    if (connection !== undefined) this.#lost(connection, 'this node stopped')
    connection?.end('this node stopped')
    this.giveUp('remoting-stopped', () => true)
  }

  toString(): string {
    return `${this.#lane} link to ${this.#owner.address}`
  }
}
