/**
 * One lane from one peer: frames to messages, to whom they are for. Who the peer is was settled by the handshake; no
 * frame says it again, so none can lie about it. The only thing written back is how far it has got.
 */
import type { Timer, Timers } from '../../foundation/timers.ts'
import { ByteBuffer } from '../../serialization/internals.ts'
import { ByteCursor, MalformedFrame } from '../wire/byte-cursor.ts'
import { writeConfirmFrame } from '../wire/confirm-frame.ts'
import { frameKinds } from '../wire/frame.ts'
import type { MessageReader } from '../wire/message-reader.ts'
import type { FrameHandler, PeerConnection } from './peer-connection.ts'

/** Messages after which the sender hears of them without delay. */
const confirmAtLeast = 8_192

/** What the heads of a frame may take, definitions included. */
const headBytesMax = 4 * 1024 * 1024

export interface InboundLinkOptions {
  readonly connection: PeerConnection
  readonly reader: MessageReader
  /** Of one message. */
  readonly serializedBytesMax: number
  readonly timers: Timers
  readonly confirmAfterMs: number
  /** Takes a system message; answers nothing. Undefined but on the control lane. */
  readonly takeSystem: ((cursor: ByteCursor) => void) | undefined
  /** The last system message taken. */
  readonly lastSystem: () => number
  readonly onLost: (link: InboundLink, reason: string) => void
}

export class InboundLink implements FrameHandler {
  readonly frameBytesMax: number
  readonly #options: InboundLinkOptions
  #count = 0
  #confirmed = 0
  #mustConfirm = false
  #timer: Timer | undefined

  constructor(options: InboundLinkOptions) {
    this.#options = options
    // A batch may have twice as much as a message, and its heads.
    this.frameBytesMax = 2 * options.serializedBytesMax + headBytesMax
  }

  frame(bytes: Buffer, start: number, end: number): void {
    const kind = bytes[start]
    if (kind === frameKinds.messages) {
      this.#count += this.#options.reader.read(bytes, start + 1, end)
    } else if (kind === frameKinds.system) {
      this.#takeSystem(new ByteCursor(bytes, start + 1, end))
    } else if (kind === frameKinds.flush) {
      this.#mustConfirm = true
    } else {
      throw new MalformedFrame('a frame of an unknown kind')
    }
  }

  #takeSystem(cursor: ByteCursor): void {
    const { takeSystem } = this.#options
    if (takeSystem === undefined) throw new MalformedFrame('a system message among data')
    takeSystem(cursor)
    this.#mustConfirm = true
  }

  chunkEnd(): void {
    if (this.#mustConfirm || this.#count - this.#confirmed >= confirmAtLeast) this.#confirm()
    else if (this.#count > this.#confirmed) this.#confirmLater()
  }

  drained(): void {
    if (this.#mustConfirm) this.#confirm()
  }

  ready(): void {}

  lost(reason: string): void {
    this.#timer?.cancel()
    this.#options.onLost(this, reason)
  }

  close(reason: string): void {
    this.#timer?.cancel()
    this.#options.connection.destroy(reason)
  }

  #confirm(): void {
    const { connection, lastSystem } = this.#options
    // Whoever does not read gets no more; the next confirmation includes this one.
    if (!connection.isIdle) return
    this.#mustConfirm = false
    this.#confirmed = this.#count
    const target = new ByteBuffer(32)
    writeConfirmFrame(target, { messages: this.#count, system: lastSystem() })
    connection.write(target.bytes.subarray(0, target.position))
  }

  #confirmLater(): void {
    const { timers, confirmAfterMs } = this.#options
    this.#timer ??= timers.after(confirmAfterMs, () => {
      this.#timer = undefined
      if (this.#count > this.#confirmed) this.#confirm()
      if (this.#count > this.#confirmed) this.#confirmLater()
    })
  }
}
