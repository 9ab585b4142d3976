/**
 * Gathers messages and writes them as one frame when it is told to: at the end of a turn, or earlier when there are many
 * or much. One writer per connection: it holds the table and the records that the other end has learnt.
 */
import { PoisonPill } from '../../actor/index.ts'
import type { Question } from '../../actor/internals.ts'
import { ByteBuffer, type Prepared, type ValueCodec } from '../../serialization/internals.ts'
import { writeVarint } from './byte-writing.ts'
import { beginFrame, endFrame, frameKinds } from './frame.ts'
import { headBits, heads } from './message-frame.ts'
import { isTableText, OutboundTable, type TableEntry, writeTableText } from './text-table.ts'

/** Whom a message is for, as the wire sees it. */
export interface WireRecipient extends TableEntry {
  /** For the answer to an ask its number on the node that asked; -1 for an actor. */
  readonly askNumber: number
}

const headFactor = 2 ** headBits
const fieldsMax = 256

export class MessageWriter {
  readonly #codec: ValueCodec
  readonly #table = new OutboundTable()
  readonly #fields = new Map<string, TableEntry>()
  readonly #heads = new ByteBuffer(1_024)
  #bodies: Prepared[] = []
  #elements = 0

  constructor(codec: ValueCodec) {
    this.#codec = codec
  }

  /** Messages gathered and not yet written. */
  get count(): number {
    return this.#bodies.length
  }

  /** What they count for together: a frame that counts for `BATCH_ELEMENTS` must be written before more are added. */
  get elements(): number {
    return this.#elements
  }

  /** Throws CannotSerialize, and then has gathered nothing. */
  add(recipient: WireRecipient, message: unknown): void {
    if (recipient.askNumber >= 0) {
      const body = this.#codec.prepare(message)
      this.#head(heads.answer, recipient.askNumber)
      this.#gather(body)
    } else if (message === PoisonPill) {
      const body = this.#codec.prepare(null)
      this.#head(heads.stop, this.#numberOf(recipient))
      this.#gather(body)
    } else {
      const body = this.#codec.prepare(message)
      this.#head(heads.tell, this.#numberOf(recipient))
      this.#gather(body)
    }
  }

  /**
   * A message with a question. When the question stands directly in a field, it travels in the head: that is much
   * cheaper than a ref inside a value.
   */
  addQuestion(recipient: WireRecipient, message: unknown, question: Question): void {
    const field = fieldOf(message, question)
    if (field === undefined) return this.add(recipient, message)
    const asked: Record<string, unknown> = { ...(message as object) }
    // Apart: with the field among the braces, the engine takes three times as long.
    asked[field] = null
    const body = this.#codec.prepare(asked)
    const path = this.#numberOf(recipient)
    const fieldNumber = this.#numberOf(this.#fieldEntry(field))
    this.#head(heads.ask, path)
    writeVarint(this.#heads, question.wireNumber)
    writeVarint(this.#heads, fieldNumber)
    this.#gather(body)
  }

  /** Appends one frame with everything gathered. Throws CannotSerialize, and then has appended nothing. */
  writeInto(target: ByteBuffer): void {
    const start = beginFrame(target, frameKinds.messages)
    try {
      writeVarint(target, this.#bodies.length)
      target.append(this.#heads.bytes, 0, this.#heads.position)
      this.#codec.encodeBatchInto(target, this.#bodies)
    } catch (error) {
      target.position = start
      // What was defined on the way has not been sent.
      this.#table.clear()
      throw error
    } finally {
      this.#heads.position = 0
      this.#bodies = []
      this.#elements = 0
    }
    endFrame(target, start)
  }

  /** The body that was prepared just now. */
  #gather(body: Prepared): void {
    this.#bodies.push(body)
    this.#elements += this.#codec.preparedElements
  }

  #numberOf(entry: TableEntry): number {
    if (this.#table.has(entry)) return entry.tableSlot
    const number = this.#table.define(entry)
    this.#head(heads.define, number)
    writeTableText(this.#heads, entry)
    return number
  }

  #head(kind: number, number: number): void {
    writeVarint(this.#heads, number * headFactor + kind)
  }

  #fieldEntry(field: string): TableEntry {
    const known = this.#fields.get(field)
    if (known !== undefined) return known
    if (this.#fields.size >= fieldsMax) this.#fields.clear()
    const entry: TableEntry = { wireText: field, tableSlot: -1 }
    this.#fields.set(field, entry)
    return entry
  }
}

/** The field of a plain object that holds the question, if one does directly, and has a name that fits into a head. */
function fieldOf(message: unknown, question: Question): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  if (Object.getPrototypeOf(message) !== Object.prototype) return undefined
  const fields = message as Readonly<Record<string, unknown>>
  for (const field in fields) {
    if (fields[field] === question) return isTableText(field) ? field : undefined
  }
  return undefined
}
