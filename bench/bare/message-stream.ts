/**
 * Baseline `bare` of `remote-tell` and `remote-ask`: one TCP connection, frames of a length, a number for the receiver, a
 * number for the question and a msgpackr body with records shared per connection, one write per turn or per 64 KiB. No
 * handshake, no checks, no queue, no reconnect.
 */
import type { Socket } from 'node:net'
import { Packr, RESET_BUFFER_MODE, REUSE_BUFFER_MODE, Unpackr } from 'msgpackr'

const packMode = REUSE_BUFFER_MODE | RESET_BUFFER_MODE
const bufferBytes = 64 * 1024

interface Packed extends Buffer {
  readonly start: number
  readonly end: number
}

export class MessageStream {
  readonly #socket: Socket
  readonly #packr = new Packr({ sequential: true, maxSharedStructures: 0, maxOwnStructures: 64 })
  readonly #unpackr = new Unpackr({ sequential: true, maxSharedStructures: 0 })
  #out = Buffer.allocUnsafeSlow(bufferBytes)
  #position = 0
  #isScheduled = false
  #rest: Buffer | undefined

  constructor(
    socket: Socket,
    onMessage: (receiver: number, question: number, body: unknown) => void,
  ) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#read(chunk, onMessage))
    socket.on('error', () => undefined)
  }

  send(receiver: number, question: number, body: unknown): void {
    const packed = this.#packr.pack(body, packMode) as Packed
    const length = packed.end - packed.start
    if (this.#position + length + 20 > this.#out.length) this.flush()
    const start = this.#position
    this.#position += 4
    this.#varint(receiver)
    this.#varint(question)
    const out = this.#out
    let to = this.#position
    for (let from = packed.start; from < packed.end; from++) out[to++] = packed[from]!
    this.#position = to
    out.writeUInt32LE(to - start - 4, start)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.flush()
    })
  }

  flush(): void {
    if (this.#position === 0) return
    this.#socket.write(this.#out.subarray(0, this.#position))
    if (this.#socket.writableLength > 0) this.#out = Buffer.allocUnsafeSlow(bufferBytes)
    this.#position = 0
  }

  #varint(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.#out[this.#position++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#out[this.#position++] = rest
  }

  #read(
    chunk: Buffer,
    onMessage: (receiver: number, question: number, body: unknown) => void,
  ): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    const readVarint = (): number => {
      let value = 0
      for (let shift = 0; ; shift += 7) {
        const next = bytes[at++]!
        value |= (next & 0x7f) << shift
        if (next < 0x80) return value
      }
    }
    while (bytes.length - at >= 4) {
      const end = at + 4 + bytes.readUInt32LE(at)
      if (end > bytes.length) break
      at += 4
      const receiver = readVarint()
      const question = readVarint()
      onMessage(receiver, question, this.#unpackr.unpack(bytes.subarray(at, end)))
      at = end
    }
    this.#rest = at < bytes.length ? bytes.subarray(at) : undefined
  }
}
