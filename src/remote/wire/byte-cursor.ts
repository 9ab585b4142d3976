/** Reads what came from another node: every length is checked against what is there before anything is made of it. */
import { CodedError } from '../../foundation/coded-error.ts'

/** The bytes are not what a node of this version sends. The connection has to be closed. */
export class MalformedFrame extends CodedError {
  readonly code = 'MALFORMED_FRAME'
}

export class ByteCursor {
  readonly #bytes: Buffer
  readonly #end: number
  position: number

  constructor(bytes: Buffer, start: number, end: number) {
    this.#bytes = bytes
    this.position = start
    this.#end = end
  }

  get isAtEnd(): boolean {
    return this.position >= this.#end
  }

  byte(): number {
    if (this.position >= this.#end) throw new MalformedFrame('a frame ends too early')
    return this.#bytes[this.position++] as number
  }

  /** A whole number up to 2^53 - 1. */
  varint(): number {
    const first = this.byte()
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let factor = 0x80; ; factor *= 0x80) {
      const next = this.byte()
      value += (next & 0x7f) * factor
      if (value > Number.MAX_SAFE_INTEGER) break
      if (next < 0x80) return value
    }
    throw new MalformedFrame('a number is too large')
  }

  /** A view of the next bytes; it shares their memory. */
  take(count: number): Buffer {
    if (count > this.#end - this.position) throw new MalformedFrame('a frame ends too early')
    this.position += count
    return this.#bytes.subarray(this.position - count, this.position)
  }

  /** A text with its length before it. */
  text(bytesMax: number): string {
    const count = this.varint()
    if (count > bytesMax) throw new MalformedFrame(`a text has more than ${bytesMax} bytes`)
    return this.take(count).toString('utf8')
  }
}
