/**
 * What waits to be handed to the network for one peer on one lane: the messages themselves, should they be lost, and
 * their bytes, written once. The bytes begin with everything the next connection must learn, so they are made before
 * there is one; after a connection has broken, what was not handed over is written anew for the next.
 */
import type { Question } from '../../actor/internals.ts'
import { CannotSerialize } from '../../serialization/index.ts'
import { BATCH_ELEMENTS, ByteBuffer, type ValueCodec } from '../../serialization/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { RemoteRecipient } from '../ref/remote-ref.ts'
import { batchMessagesMax } from '../wire/message-frame.ts'
import { MessageWriter } from '../wire/message-writer.ts'

/** More in one group would outgrow a frame, should it have to be written anew. */
const gatheredMaxUsual = batchMessagesMax / 2

const firstBytes = 64
const bufferBytes = 64 * 1024
/** A buffer that grew beyond this is not kept. */
const keptBytesMax = 1024 * 1024

export interface OutboundQueueOptions {
  readonly makeCodec: () => ValueCodec
  /** Messages are encoded in groups of at most so many. */
  readonly gatheredMax?: number
  /** A message turned out not to be able to travel after it was taken. */
  readonly onRefused: (letter: Letter, error: CannotSerialize) => void
  /** Whoever asked with it has given up while it waited. */
  readonly onExpired: (letter: Letter) => void
  /** Messages leave that were not handed over; their places in the queue as it was, 0 for the oldest. */
  readonly onLeft: (places: readonly number[]) => void
}

/** A message, whom it is for, and what was asked with it. */
export interface Letter {
  readonly recipient: RemoteRecipient
  readonly message: unknown
  readonly question: Question | undefined
}

export class OutboundQueue {
  readonly #options: OutboundQueueOptions
  readonly #gatheredMax: number
  /** Most peers that are named are never spoken to, so they get neither writer nor room before. */
  #madeWriter: MessageWriter | undefined
  #buffer = new ByteBuffer(firstBytes)
  /** Side by side, oldest first; used up to `#count`. */
  readonly #recipients: (RemoteRecipient | undefined)[] = []
  readonly #messages: unknown[] = []
  readonly #questions: (Question | undefined)[] = []
  #count = 0
  #isRewriting = false
  /** Says what left while it was written anew; once all is in its place, since who hears of it may send more. */
  readonly #untold: (() => void)[] = []

  constructor(options: OutboundQueueOptions) {
    this.#options = options
    this.#gatheredMax = options.gatheredMax ?? gatheredMaxUsual
  }

  get #writer(): MessageWriter {
    this.#madeWriter ??= new MessageWriter(this.#options.makeCodec())
    return this.#madeWriter
  }

  /** Messages that wait. */
  get count(): number {
    return this.#count
  }

  /** Bytes that wait, without those of messages that are still being gathered. */
  get bytes(): number {
    return this.#buffer.position
  }

  /** Throws CannotSerialize, and then has not taken it. */
  add(recipient: RemoteRecipient, message: unknown, question: Question | undefined): void {
    this.#writeLetter(recipient, message, question)
    this.#keep(recipient, message, question)
    if (this.#isFull) this.gather()
  }

  /** More would make a frame that the other end does not take. */
  get #isFull(): boolean {
    const { count, elements } = this.#writer
    return count >= this.#gatheredMax || elements >= BATCH_ELEMENTS
  }

  /** Turns the messages gathered so far into bytes. */
  gather(): void {
    const count = this.#madeWriter?.count ?? 0
    if (count === 0) return
    try {
      this.#writer.writeInto(this.#buffer)
    } catch (error) {
      if (!(error instanceof CannotSerialize)) throw error
      // One of them has changed since it was looked at, or they are too large together: one by one, then.
      this.#rewrite(this.#count - count, true)
    }
  }

  /** Appends a frame of another kind, behind all messages so far. */
  appendFrame(write: (target: ByteBuffer) => void): void {
    this.gather()
    write(this.#buffer)
  }

  /** Messages that are bytes by now. Those added by who heard of a loss while the others were gathered are not. */
  get gatheredCount(): number {
    return this.#count - (this.#madeWriter?.count ?? 0)
  }

  /** Takes the bytes of what was gathered; those messages do not wait any more. The bytes stay valid until `reuse`. */
  handOver(): Buffer {
    const bytes = this.#buffer.bytes.subarray(0, this.#buffer.position)
    const late: Letter[] = []
    for (let index = this.gatheredCount; index < this.#count; index++) {
      late.push(this.#letterAt(index))
    }
    this.#forgetFrom(0)
    for (const { recipient, message, question } of late) this.#keep(recipient, message, question)
    return bytes
  }

  /** After `handOver`: whether the network has let go of the bytes. */
  reuse(isFree: boolean): void {
    if (isFree && this.#buffer.bytes.length <= keptBytesMax) this.#buffer.position = 0
    else this.#buffer = new ByteBuffer(bufferBytes)
  }

  /** For a new connection: nothing of what the last one has learnt holds, and what waits is written anew. */
  restart(): void {
    this.#madeWriter = undefined
    this.#buffer.position = 0
    this.#rewrite(0, false)
    this.gather()
  }

  /** There is a connection at last: what was asked with a limit of time says how much is left of it, or leaves. */
  connected(): void {
    if (this.#questions.some((question) => question?.renew !== undefined)) this.restart()
  }

  /** Takes out the messages for which this is true. Only before anything of them was handed over. */
  takeOut(isChosen: (recipient: RemoteRecipient) => boolean): Letter[] {
    const chosen: Letter[] = []
    const places: number[] = []
    const kept: Letter[] = []
    for (let index = 0; index < this.#count; index++) {
      const letter = this.#letterAt(index)
      const isOut = isChosen(letter.recipient)
      ;(isOut ? chosen : kept).push(letter)
      if (isOut) places.push(index)
    }
    if (chosen.length === 0) return chosen
    this.#forgetFrom(0)
    for (const { recipient, message, question } of kept) this.#keep(recipient, message, question)
    // Before the rest is written anew: more may leave then, and their places are those of the queue as it is now.
    this.#options.onLeft(places)
    this.restart()
    return chosen
  }

  /** How many of those that wait are for this incarnation and for no other. */
  countFor(node: NodeId): number {
    let count = 0
    for (let index = 0; index < this.#count; index++) {
      if (this.#recipients[index]?.node === node) count++
    }
    return count
  }

  #writeLetter(recipient: RemoteRecipient, message: unknown, question: Question | undefined): void {
    if (question === undefined) this.#writer.add(recipient, message)
    else this.#writer.addQuestion(recipient, message, question)
  }

  #keep(recipient: RemoteRecipient, message: unknown, question: Question | undefined): void {
    this.#recipients[this.#count] = recipient
    this.#questions[this.#count] = question
    this.#messages[this.#count++] = message
  }

  #letterAt(index: number): Letter {
    const recipient = this.#recipients[index]!
    return { recipient, message: this.#messages[index], question: this.#questions[index] }
  }

  #rewrite(from: number, isOneByOne: boolean): void {
    const isInner = this.#isRewriting
    this.#isRewriting = true
    try {
      this.#writeAnew(from, isOneByOne)
    } finally {
      this.#isRewriting = isInner
    }
    if (!isInner) for (const tell of this.#untold.splice(0)) tell()
  }

  #writeAnew(from: number, isOneByOne: boolean): void {
    const { onExpired, onRefused, onLeft } = this.#options
    const end = this.#count
    this.#count = from
    for (let index = from; index < end; index++) {
      const letter = this.#letterAt(index)
      const { recipient, question } = letter
      const message =
        question === undefined ? letter.message : question.afterWaiting(letter.message)
      if (message === undefined) {
        onLeft([this.#count])
        this.#untold.push(() => onExpired(letter))
        continue
      }
      try {
        this.#writeLetter(recipient, message, question)
        if (isOneByOne) this.#writer.writeInto(this.#buffer)
        this.#keep(recipient, message, question)
      } catch (error) {
        if (!(error instanceof CannotSerialize)) throw error
        onLeft([this.#count])
        this.#untold.push(() => onRefused(letter, error))
      }
      if (this.#isFull) this.gather()
    }
    for (let index = this.#count; index < end; index++) this.#forget(index)
  }

  #forgetFrom(from: number): void {
    for (let index = from; index < this.#count; index++) this.#forget(index)
    this.#count = from
  }

  #forget(index: number): void {
    this.#recipients[index] = undefined
    this.#messages[index] = undefined
    this.#questions[index] = undefined
  }
}
