/** Reads frames of messages and hands each message to whom it is for. One reader per connection. */
import type { ValueCodec } from '../../serialization/internals.ts'
import { ByteCursor, MalformedFrame } from './byte-cursor.ts'
import { batchMessagesMax, headBits, headMask, heads } from './message-frame.ts'
import { InboundTable, readTableText } from './text-table.ts'

/** Somebody on this node. */
export interface Recipient {
  /** `bytes`: the mean size of the messages of its frame. */
  tell(message: unknown, bytes?: number): void
}

/** What a reader needs of the node it reads for. Nothing here throws. */
export interface Delivery {
  /** The messages of another frame follow. */
  frameBegins(): void
  /** Never fails: where nobody is, a recipient takes the message to the dead letters. */
  recipientAt(path: string): Recipient
  answer(askNumber: number, reply: unknown): void
  /** The address for the answer to an ask of the peer. */
  replyTo(askNumber: number): unknown
  stop(recipient: Recipient): void
  /** A recipient threw: its mailbox is full and says so in this way, say. */
  failed(recipient: Recipient, message: unknown, error: unknown): void
}

/** A number may stand for a path or for the name of a field; what it is for shows when it is used. */
interface Meaning {
  readonly text: string
  recipient: Recipient | undefined
}

/** Sorts the heads of one frame by message. */
interface Head {
  kind: number
  number: number
  meaning: Meaning | undefined
  field: string
}

const headDivisor = 2 ** headBits

export class MessageReader {
  readonly #codec: ValueCodec
  readonly #delivery: Delivery
  readonly #table = new InboundTable<Meaning>()
  /** Used again for every frame. */
  readonly #heads: Head[] = []

  constructor(codec: ValueCodec, delivery: Delivery) {
    this.#codec = codec
    this.#delivery = delivery
  }

  /** Answers how many messages there were. Throws MalformedFrame or CannotDeserialize. */
  read(bytes: Buffer, start: number, end: number): number {
    const cursor = new ByteCursor(bytes, start, end)
    const count = cursor.varint()
    if (count === 0 || count > batchMessagesMax) {
      throw new MalformedFrame(`a frame has ${count} messages`)
    }
    for (let index = 0; index < count;) if (this.#readHead(cursor, index)) index++
    const bodies = this.#codec.decodeBatch(bytes, count, cursor.position, end)
    const bytesEach = Math.ceil((end - cursor.position) / count)
    this.#delivery.frameBegins()
    for (let index = 0; index < count; index++) {
      this.#deliver(this.#heads[index]!, bodies[index], bytesEach)
    }
    return count
  }

  /** False for a definition, which is not a message. */
  #readHead(cursor: ByteCursor, index: number): boolean {
    const first = cursor.varint()
    const kind = (first % headDivisor) & headMask
    const number = Math.floor(first / headDivisor)
    if (kind === heads.define) {
      this.#table.define(number, { text: readTableText(cursor), recipient: undefined })
      return false
    }
    if (kind > heads.stop) throw new MalformedFrame('a head of an unknown kind')
    const head = (this.#heads[index] ??= newHead())
    head.kind = kind
    if (kind === heads.answer) {
      head.number = number
      return true
    }
    head.meaning = this.#table.at(number)
    if (kind !== heads.ask) return true
    head.number = cursor.varint()
    head.field = this.#table.at(cursor.varint()).text
    return true
  }

  #deliver(head: Head, body: unknown, bytes: number): void {
    if (body === undefined) throw new MalformedFrame('undefined is not a message')
    if (head.kind === heads.answer) return this.#delivery.answer(head.number, body)
    const meaning = head.meaning!
    const recipient = (meaning.recipient ??= this.#delivery.recipientAt(meaning.text))
    if (head.kind === heads.stop) return this.#delivery.stop(recipient)
    if (head.kind === heads.ask) this.#setReplyTo(body, head)
    try {
      recipient.tell(body, bytes)
    } catch (error) {
      this.#delivery.failed(recipient, body, error)
    }
  }

  /** Only a field that is there: nothing from outside may reach a prototype. */
  #setReplyTo(body: unknown, { field, number }: Head): void {
    if (typeof body !== 'object' || body === null || !Object.hasOwn(body, field)) return
    const fields = body as Record<string, unknown>
    fields[field] = this.#delivery.replyTo(number)
  }
}

function newHead(): Head {
  return { kind: 0, number: 0, meaning: undefined, field: '' }
}
