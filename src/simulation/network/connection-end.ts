/** One end of a simulated connection: what a process holds of it, and what its machine does with it after the process. */
import type { CloseReason, Connection, ConnectionHandler } from '../../remote/index.ts'
import type { Incarnation } from '../incarnation.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { ByteStream, EndMark, Receiver, Sender } from './byte-stream.ts'
import type { NetworkGround } from './network-ground.ts'

const closedHere: CloseReason = { type: 'destroyed', detail: 'closed by this node' }
/** After `end`, a silent other end is waited for this long. */
const END_TIMEOUT_MS = 2_000

export interface ConnectionEndOptions {
  readonly ground: NetworkGround
  readonly life: Incarnation
  readonly host: string
  readonly peer: string
  readonly random: SeededRandom
  /** The process, and its machine, have forgotten this end. */
  readonly onGone: (end: ConnectionEnd) => void
}

export class ConnectionEnd implements Connection, Sender, Receiver {
  readonly life: Incarnation
  readonly host: string
  readonly peer: string
  readonly #ground: NetworkGround
  readonly #random: SeededRandom
  readonly #onGone: (end: ConnectionEnd) => void
  #out: ByteStream | undefined
  #handler: ConnectionHandler | undefined
  #isOpen = false
  #isEnding = false
  #isClosed = false
  #isKnownToOther = true
  #hasTurn = false
  #wantsDrain = false
  #isFlushing = false
  /** Given to `write`, not yet to the machine. Not copied: whoever changes them has not kept the contract. */
  #held: Buffer[] = []
  #heldBytes = 0

  constructor({ ground, life, host, peer, random, onGone }: ConnectionEndOptions) {
    this.#ground = ground
    this.life = life
    this.host = host
    this.peer = peer
    this.#random = random
    this.#onGone = onGone
  }

  // ---- for the process

  get isIdle(): boolean {
    return this.#heldBytes === 0
  }

  write(bytes: Buffer): boolean {
    if (!this.life.mayAct('write') || this.#isClosed || this.#isEnding) return false
    const { highWaterBytes, busyChance } = this.#ground.settings
    const isTaken = this.#isOpen && this.isIdle && bytes.length <= this.#room
    if (isTaken && !this.#random.chance(busyChance)) {
      this.#out?.send(Buffer.from(bytes))
      return true
    }
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#room > 0) this.roomFreed()
    this.#wantsDrain ||= this.#heldBytes >= highWaterBytes
    return !this.#wantsDrain
  }

  askForTurn(): void {
    if (this.#hasTurn || !this.life.mayAct('turn')) return
    this.#hasTurn = true
    this.life.soon(() => {
      this.#hasTurn = false
      if (!this.#isClosed) this.#handler?.ready()
    })
  }

  end(): void {
    if (!this.life.mayAct('end') || this.#isClosed || this.#isEnding) return
    this.#isEnding = true
    this.#finishIfAllIsSent()
    this.life.appoint(END_TIMEOUT_MS, 'end-wait', () => this.destroy()).isAwaited = false
  }

  destroy(): void {
    if (this.life.mayAct('destroy')) this.#close(closedHere, this.#drawMark())
  }

  // ---- for the network

  get isTaking(): boolean {
    return this.#handler !== undefined && !this.#isClosed
  }

  get isGone(): boolean {
    return this.#isClosed
  }

  /** The connection stands; bytes may flow out of here. */
  join(out: ByteStream): void {
    this.#out = out
    this.#isOpen = true
    if (!this.isIdle || this.#isEnding) this.#flush()
  }

  attend(handler: ConnectionHandler): void {
    this.#handler = handler
  }

  opened(): void {
    if (!this.#isClosed) this.#handler?.opened()
  }

  take(bytes: Buffer): void {
    this.#handler?.received(bytes)
  }

  takeEnd(mark: EndMark): void {
    const detail = mark === 'ended' ? 'the other end closed' : 'the other end is gone'
    this.#close(this.#isEnding ? closedHere : { type: mark, detail }, 'ended')
  }

  roomFreed(): void {
    if (this.#isFlushing || this.#isClosed || (this.isIdle && !this.#wantsDrain)) return
    this.#isFlushing = true
    this.life.appoint(0, 'writable', () => {
      this.#isFlushing = false
      if (!this.#isClosed) this.#flush()
    })
  }

  /** The connection could not be made. */
  fail(reason: CloseReason): void {
    this.#close(reason, undefined)
  }

  /** A fault breaks the connection; the process hears of it in a step of its own. */
  breakOff(type: 'reset' | 'timed-out', detail: string): void {
    if (this.#isClosed) return
    this.#isKnownToOther = false
    if (!this.life.isAlive) return this.abandon(undefined)
    this.life.appoint(0, 'reset', () => this.#close({ type, detail }, undefined))
  }

  /** A fault ends it here alone: the other end hears of it behind what is under way. */
  breakHere(detail: string): void {
    if (this.#isClosed) return
    if (!this.life.isAlive) return this.abandon('reset')
    this.life.appoint(0, 'reset', () => this.#close({ type: 'reset', detail }, 'reset'))
  }

  /** The process is dead. Its machine says so to the other end, or died with it and says nothing. */
  abandon(mark: EndMark | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#leave(mark)
  }

  /** The other end is gone and nobody has said so: it is noticed by writing, or by asking after a while. */
  orphaned(): void {
    if (this.#isClosed || this.#out === undefined) return
    const afterMs = this.#ground.settings.keepAliveMs * (1 + this.#random.float())
    const ask = (): void => void (this.#isClosed || this.#out?.probe())
    this.#ground.world.stage.appoint(afterMs, 'keep-alive', ask).isAwaited = false
  }

  get out(): ByteStream | undefined {
    return this.#out
  }

  /** False when the other end has no way to learn that this one is gone. */
  get isKnownToOther(): boolean {
    return this.#isKnownToOther
  }

  get #room(): number {
    return this.#isOpen ? (this.#out?.roomBytes ?? 0) : 0
  }

  #flush(): void {
    while (this.#held.length > 0 && this.#room > 0) {
      const [first] = this.#held as [Buffer]
      const count = Math.min(first.length, this.#room)
      this.#out?.send(Buffer.from(first.subarray(0, count)))
      this.#heldBytes -= count
      if (count === first.length) this.#held.shift()
      else this.#held[0] = first.subarray(count)
    }
    this.#finishIfAllIsSent()
    if (!this.isIdle || !this.#wantsDrain || !this.#isOpen) return
    this.#wantsDrain = false
    this.#handler?.drained()
  }

  #finishIfAllIsSent(): void {
    if (this.#isEnding && this.isIdle && this.#isOpen) this.#out?.finish('ended')
  }

  /** Closes the socket of a process that runs: it hears so in a step, once and last. */
  #close(reason: CloseReason, mark: EndMark | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#leave(mark)
    this.life.appoint(0, 'closed', () => this.#handler?.closed(reason))
  }

  #leave(mark: EndMark | undefined): void {
    this.#held = []
    this.#heldBytes = 0
    if (mark === undefined) {
      this.#isKnownToOther = false
      this.#out?.vanish()
    } else {
      this.#out?.finish(mark)
    }
    this.#onGone(this)
  }

  /** A machine that has unread bytes for a closed socket answers with a reset. */
  #drawMark(): EndMark {
    return this.#random.chance(0.25) ? 'reset' : 'ended'
  }
}
