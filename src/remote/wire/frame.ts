/**
 * Frames: four bytes of length (lowest first), then that many bytes, of which the first says what they are. The reader
 * takes chunks as they come. Whole frames are read where they lie; only one that is cut is put together, once.
 */
import type { ByteBuffer } from '../../serialization/internals.ts'

/** What a frame is, after the handshake. */
export const frameKinds = {
  /** Sender -> receiver: messages to actors. */
  messages: 1,
  /** Sender -> receiver: confirm what you have, now. */
  flush: 2,
  /** Sender -> receiver: one system message. */
  system: 3,
  /** Receiver -> sender: how many messages, and up to which system message, have come. */
  confirm: 4,
} as const

const lengthBytes = 4

/** Leaves room for the length; answers where the frame begins. */
export function beginFrame(target: ByteBuffer, kind: number): number {
  const start = target.position
  target.reserve(lengthBytes + 1)
  target.position += lengthBytes
  target.bytes[target.position++] = kind
  return start
}

export function endFrame(target: ByteBuffer, start: number): void {
  const { bytes, position } = target
  const length = position - start - lengthBytes
  bytes[start] = length & 0xff
  bytes[start + 1] = (length >>> 8) & 0xff
  bytes[start + 2] = (length >>> 16) & 0xff
  bytes[start + 3] = (length >>> 24) & 0xff
}

/** Takes one frame, from its kind to its end; answers why the connection has to be closed, if it has. */
export type TakeFrame = (bytes: Buffer, start: number, end: number) => string | undefined

/** A buffer for cut frames that grew beyond this is not kept for the next one. */
const keptBytesMax = 256 * 1024

export class FrameReader {
  /** May be raised once more is known about the peer. */
  bytesMax: number
  readonly #take: TakeFrame
  /** The begin of a frame that is not whole yet. Grows with what has come, not with what is announced. */
  #held: Buffer = Buffer.alloc(0)
  #size = 0
  #needed = lengthBytes
  #isClosed = false
  /** The length that could not be: its four bytes may say who speaks. */
  #refusedLength = 0

  constructor(bytesMax: number, take: TakeFrame) {
    this.bytesMax = bytesMax
    this.#take = take
  }

  /** Memory kept for frames that are not whole yet. */
  get heldBytes(): number {
    return this.#held.length
  }

  /** The bytes were no frames: were they those of TLS? */
  get isTls(): boolean {
    // The first three bytes of a record: its kind, of which there are four, and version 3.0 to 3.4.
    const kind = this.#refusedLength & 0xff
    const major = (this.#refusedLength >>> 8) & 0xff
    return kind >= 0x14 && kind <= 0x17 && major === 3 && ((this.#refusedLength >>> 16) & 0xff) <= 4
  }

  /** Nothing more is taken, not even what is at hand. */
  close(): void {
    this.#isClosed = true
    this.#held = Buffer.alloc(0)
    this.#size = 0
  }

  /** Takes all frames that are whole by now. Answers why the connection has to be closed, if it has. */
  read(chunk: Buffer): string | undefined {
    let position = 0
    while (this.#size > 0 && position < chunk.length) {
      const end = Math.min(chunk.length, position + this.#needed - this.#size)
      this.#keep(chunk, position, end)
      position = end
      const problem = this.#size === this.#needed ? this.#readHeld() : undefined
      if (problem !== undefined) return this.#refuse(problem)
    }
    return this.#isClosed ? undefined : this.#readWhole(chunk, position)
  }

  /** The held bytes are a length, or a frame with its length. */
  #readHeld(): string | undefined {
    if (this.#needed === lengthBytes) return this.#measure(this.#held, 0)
    const frame = this.#held
    const end = this.#size
    this.#size = 0
    this.#needed = lengthBytes
    if (frame.length > keptBytesMax) this.#held = Buffer.alloc(0)
    return this.#take(frame, lengthBytes, end)
  }

  #readWhole(chunk: Buffer, from: number): string | undefined {
    let start = from
    while (!this.#isClosed && chunk.length - start >= lengthBytes) {
      const problem = this.#measure(chunk, start)
      if (problem !== undefined) return this.#refuse(problem)
      const end = start + this.#needed
      if (end > chunk.length) break
      this.#needed = lengthBytes
      const refusal = this.#take(chunk, start + lengthBytes, end)
      if (refusal !== undefined) return this.#refuse(refusal)
      start = end
    }
    if (start < chunk.length && !this.#isClosed) this.#keep(chunk, start, chunk.length)
    return undefined
  }

  /** A frame has at least its kind. The length is believed only after this: nothing was allocated for it. */
  #measure(bytes: Buffer, start: number): string | undefined {
    const length = bytes.readUInt32LE(start)
    if (length === 0) return 'a frame is empty'
    if (length > this.bytesMax) {
      this.#refusedLength = length
      return `a frame has ${length} of at most ${this.bytesMax} bytes`
    }
    this.#needed = length + lengthBytes
    return undefined
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    const size = this.#size + end - start
    if (size > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#held.length, 512))
      this.#held.copy(grown, 0, 0, this.#size)
      this.#held = grown
    }
    chunk.copy(this.#held, this.#size, start, end)
    this.#size = size
  }

  #refuse(problem: string): string {
    this.close()
    return problem
  }
}
