/**
 * One direction of one connection, as the two machines see it: bytes that one process has given away and the other has not
 * yet taken. It outlives the process that wrote. Bytes arrive in order, cut and joined at will; trouble is a stall or an end.
 *
 * Invariant: what arrives is a prefix of what was sent, and nothing arrives after the end mark.
 */
import { RingBuffer } from '../../foundation/ring-buffer.ts'
import type { Incarnation } from '../incarnation.ts'
import type { SeededRandom } from '../seeded-random.ts'
import type { NetworkGround } from './network-ground.ts'

export type EndMark = 'ended' | 'reset'

/** The end of the connection that this direction leads to, or comes from. */
export interface StreamEnd {
  readonly host: string
  readonly life: Incarnation
  /** Its process takes bytes. */
  readonly isTaking: boolean
  /** Neither process nor machine remembers it. */
  readonly isGone: boolean
}

export interface Receiver extends StreamEnd {
  take(bytes: Buffer): void
  takeEnd(mark: EndMark): void
}

export interface Sender extends StreamEnd {
  /** There is room again. */
  roomFreed(): void
  /** The machine gives the connection up. */
  breakOff(type: 'reset' | 'timed-out', detail: string): void
}

interface Segment {
  readonly id: number
  bytes: Buffer
  readonly arrivesUs: number
}

export class ByteStream {
  readonly #ground: NetworkGround
  readonly #from: Sender
  readonly #to: Receiver
  readonly #random: SeededRandom
  readonly #windowBytes: number
  readonly #segments = new RingBuffer<Segment>()
  #underWayBytes = 0
  #unconfirmedBytes = 0
  #mark: EndMark | undefined
  #lastArrivalUs = 0
  #isAppointed = false
  #isOver = false
  /** Counts stalls; odd while stalled. */
  #stalls = 0
  /** A fault on this connection alone. */
  #isHeldUp = false
  #isLost = false

  constructor(ground: NetworkGround, from: Sender, to: Receiver, random: SeededRandom) {
    this.#ground = ground
    this.#from = from
    this.#to = to
    this.#random = random
    this.#windowBytes = random.pick(ground.settings.windowBytes)
  }

  get roomBytes(): number {
    return this.#windowBytes - this.#underWayBytes - this.#unconfirmedBytes
  }

  /** Takes bytes that nobody changes any more. */
  send(bytes: Buffer): void {
    if (this.#isOver || this.#mark !== undefined) return
    const { world, links } = this.#ground
    const latencyMs = links.drawLatencyMs(this.#from.host, this.#to.host)
    const arrivesUs = Math.max(this.#lastArrivalUs, world.clock.deadlineUs(latencyMs))
    this.#lastArrivalUs = arrivesUs
    const id = world.trace.sent(world.clock.nowUs, this.#from.life, this.#to.life, bytes.length)
    this.#segments.push({ id, bytes, arrivesUs })
    this.#underWayBytes += bytes.length
    this.#appoint()
  }

  /** Nothing comes after this. With `reset`, part of what is under way is lost. */
  finish(mark: EndMark): void {
    if (this.#isOver || this.#mark !== undefined) return
    this.#mark = mark
    if (mark === 'reset') this.#loseSuffix()
    this.#appoint()
  }

  /** The machine of the sender forgets the connection: all that is under way is lost, and nobody says so. */
  vanish(): void {
    this.#isOver = true
    this.#segments.clear()
  }

  /** Nothing moves until `letGo`, whatever the way is like. */
  holdUp(): void {
    this.#isHeldUp = true
  }

  letGo(): void {
    this.#isHeldUp = false
  }

  /** Nothing of this connection passes any more, whatever the way is like, and nobody says so. */
  lose(): void {
    this.#isLost = true
  }

  /** The way may be open again, or the receiver may be ready. */
  resume(): void {
    this.#confirm()
    if (this.#stalls % 2 === 0) return
    if (!this.#canPass) return
    this.#stalls++
    this.#appoint(this.#random.float() * this.#ground.settings.resumeMaxMs)
  }

  /** The receiver takes bytes from now on. */
  start(): void {
    this.#appoint()
  }

  /** The receiving process is dead, and the step that would have taken the bytes died with it. */
  receiverDied(): void {
    this.#isAppointed = false
    this.#appoint()
  }

  /** Asks the other machine whether the connection still stands. */
  probe(): void {
    if (!this.#isOver) this.#arrive()
  }

  get #canPass(): boolean {
    if (this.#isHeldUp || this.#isLost) return false
    return this.#ground.links.isOpen(this.#from.host, this.#to.host)
  }

  #appoint(atLeastMs = 0): void {
    const first = this.#segments.peek()
    if (this.#isAppointed || this.#isOver || this.#stalls % 2 === 1) return
    if (first === undefined && this.#mark === undefined) return
    const { world, links } = this.#ground
    const dueMs =
      first === undefined
        ? links.drawLatencyMs(this.#from.host, this.#to.host)
        : (first.arrivesUs - world.clock.nowUs) / 1_000
    this.#isAppointed = true
    // It arrives in a step of the receiver, so a process that is paused takes it later, and in any order.
    const owner = this.#to.isGone || !this.#to.life.isAlive ? world.stage : this.#to.life
    owner.appoint(Math.max(0, dueMs, atLeastMs), 'bytes', () => {
      this.#isAppointed = false
      if (!this.#isOver) this.#arrive()
    })
  }

  #arrive(): void {
    if (!this.#canPass) return this.#stall()
    if (this.#to.isGone) return this.#unanswered()
    if (!this.#to.isTaking) return
    const bytes = this.#takeDue()
    if (bytes !== undefined) {
      this.#unconfirmedBytes += bytes.length
      this.#to.take(bytes)
      this.#confirm()
    }
    // A handler may have closed the connection.
    if (this.#isOver || !this.#to.isTaking) return
    if (this.#segments.size > 0) return this.#appoint()
    if (this.#mark === undefined || (bytes !== undefined && this.#random.chance(0.5))) {
      return this.#appoint()
    }
    this.#isOver = true
    this.#to.takeEnd(this.#mark)
  }

  /** Nobody is there: a machine that is up says so, one that is down says nothing. */
  #unanswered(): void {
    if (!this.#ground.isHostUp(this.#to.host)) return this.#stall()
    const { host } = this.#to
    if (!this.#ground.links.isOpen(host, this.#from.host)) return this.#stall()
    this.vanish()
    this.#from.breakOff('reset', `${host} does not know the connection`)
  }

  #stall(): void {
    if (this.#stalls % 2 === 1) return
    const stall = ++this.#stalls
    const { settings, world } = this.#ground
    const isHopeless = this.#to.isGone
    if (!isHopeless && !this.#random.chance(settings.giveUpChance)) return
    const { giveUpMinMs, giveUpMaxMs } = settings
    const afterMs = giveUpMinMs + this.#random.float() * (giveUpMaxMs - giveUpMinMs)
    world.stage.appoint(afterMs, 'patience', () => {
      if (this.#isOver || this.#stalls !== stall) return
      this.vanish()
      this.#from.breakOff('timed-out', `no answer from ${this.#to.host}`)
    })
  }

  /** What has arrived stays with the sender until the receiver's machine could say so. */
  #confirm(): void {
    if (this.#unconfirmedBytes === 0) return
    if (this.#isHeldUp || !this.#ground.links.isOpen(this.#to.host, this.#from.host)) return
    this.#unconfirmedBytes = 0
    this.#from.roomFreed()
  }

  #takeDue(): Buffer | undefined {
    const { world, settings } = this.#ground
    const { nowUs } = world.clock
    const due: Buffer[] = []
    for (let next = this.#segments.peek(); next !== undefined; next = this.#segments.peek()) {
      if (next.arrivesUs > nowUs) break
      world.trace.received(nowUs, this.#to.life, next.id)
      if (next.bytes.length > 1 && this.#random.chance(settings.splitChance)) {
        const count = 1 + this.#random.below(next.bytes.length - 1)
        due.push(next.bytes.subarray(0, count))
        next.bytes = next.bytes.subarray(count)
        break
      }
      due.push(next.bytes)
      this.#segments.shift()
    }
    if (due.length === 0) return undefined
    const bytes = due.length === 1 ? (due[0] as Buffer) : Buffer.concat(due)
    this.#underWayBytes -= bytes.length
    return bytes
  }

  #loseSuffix(): void {
    const kept = this.#random.below(this.#segments.size + 1)
    const segments: Segment[] = []
    for (let n = 0; n < kept; n++) segments.push(this.#segments.shift() as Segment)
    this.#segments.clear()
    for (const segment of segments) this.#segments.push(segment)
  }
}
