/**
 * One connection with a node, from its first byte: runs the handshake, then cuts the bytes into frames for whoever the
 * connection was made for. Whatever is wrong with them closes it; nothing that comes from outside throws into the node.
 */
import { assert, AssertionFailed, unreachable } from '../../foundation/assert.ts'
import { CodedError } from '../../foundation/coded-error.ts'
import type { Timer, Timers } from '../../foundation/timers.ts'
import type {
  HandshakeEffect,
  HandshakeInput,
  HandshakeOptions,
} from '../handshake/handshake-inputs.ts'
import { HandshakeMachine } from '../handshake/handshake-machine.ts'
import type { Lane } from '../lane.ts'
import { handshakeBytesMax } from '../handshake/handshake-messages.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { HandshakeError } from '../remote-errors.ts'
import type { CloseReason, Connection, ConnectionHandler, SecureChannel } from '../transport.ts'
import { FrameReader } from '../wire/frame.ts'

/** Why a connection did not come about. */
export type ConnectFailure =
  | { readonly type: 'connection'; readonly reason: CloseReason }
  | {
      readonly type: 'handshake'
      readonly error: HandshakeError
      /** The incarnation at the address we called that has given this node up. */
      readonly givenUpBy: NodeId | undefined
    }

/** Who a connection was made for. */
export interface ConnectionOwner {
  established(peer: NodeId, lane: Lane, connection: PeerConnection): FrameHandler
  failed(failure: ConnectFailure): void
}

/** The owner of an established connection. */
export interface FrameHandler {
  /** Bytes a frame may have. */
  readonly frameBytesMax: number
  /** Takes one frame, from its kind on. May throw: then the connection is closed with that reason. */
  frame(bytes: Buffer, start: number, end: number): void
  /** All frames of a chunk have been taken. */
  chunkEnd(): void
  drained(): void
  ready(): void
  lost(reason: string): void
}

/** What a peer sent that no node sends, and that was the end of its connection. */
export interface BadBytes {
  readonly peer: NodeId
  readonly lane: Lane
  /** Of a small number; `TLS_FAILED` when it could not even be decrypted. */
  readonly code: string
  readonly problem: string
}

type HandshakeFailure = Omit<Extract<HandshakeEffect, { readonly type: 'Fail' }>, 'type'>

export interface PeerConnectionOptions {
  readonly handshake: HandshakeOptions
  readonly timers: Timers
  readonly timeoutMs: number
  readonly owner: ConnectionOwner
  /** A broken invariant is ours, not the peer's. */
  readonly onBroken: (error: AssertionFailed) => void
  readonly onBadBytes: (bad: BadBytes) => void
}

export class PeerConnection implements ConnectionHandler {
  readonly #options: PeerConnectionOptions
  readonly #machine: HandshakeMachine
  readonly #reader: FrameReader
  #connection: Connection | undefined
  #handler: FrameHandler | undefined
  #peer: Pick<BadBytes, 'peer' | 'lane'> | undefined
  /** Of what the handler threw; what the reader finds wrong are frames. */
  #problemCode = 'MALFORMED_FRAME'
  #timer: Timer | undefined
  #hasFailed = false
  #closeReason: string | undefined

  constructor(options: PeerConnectionOptions) {
    this.#options = options
    this.#machine = new HandshakeMachine(options.handshake)
    this.#reader = new FrameReader(handshakeBytesMax, (bytes, start, end) =>
      this.#takeFrame(bytes, start, end),
    )
  }

  /** Must be called before anything can arrive. */
  attach(connection: Connection): void {
    this.#connection = connection
    const { timers, timeoutMs, handshake } = this.#options
    // A dialer has the time of the transport to connect first.
    if (handshake.role.type === 'listener') {
      this.#timer = timers.after(timeoutMs, () => this.#timedOut())
    }
  }

  /** The other end has greeted as a node would, and is to prove itself. */
  get isGreeting(): boolean {
    return this.#machine.isUnderWay
  }

  get isIdle(): boolean {
    return this.#connection?.isIdle ?? true
  }

  write(bytes: Buffer): boolean {
    return this.#connection?.write(bytes) ?? false
  }

  askForTurn(): void {
    this.#connection?.askForTurn()
  }

  /** Sends what was written, then closes. */
  end(reason: string): void {
    this.#closeReason ??= reason
    this.#connection?.end()
  }

  destroy(reason: string): void {
    this.#closeReason ??= reason
    this.#timer?.cancel()
    this.#reader.close()
    this.#connection?.destroy()
  }

  // ---- from the transport

  secured(channel: SecureChannel): void {
    this.#step({ type: 'Secured', channel })
  }

  notSecured(reason: CloseReason): void {
    this.#step({ type: 'NotSecured', reason })
  }

  opened(): void {
    const { timers, timeoutMs } = this.#options
    this.#timer = timers.after(timeoutMs, () => this.#timedOut())
    this.#step({ type: 'Opened' })
  }

  received(bytes: Buffer): void {
    const problem = this.#reader.read(bytes)
    if (problem === undefined) this.#handler?.chunkEnd()
    else this.#broken(problem)
  }

  drained(): void {
    this.#handler?.drained()
  }

  ready(): void {
    this.#handler?.ready()
  }

  closed(reason: CloseReason): void {
    this.#timer?.cancel()
    this.#reader.close()
    const handler = this.#handler
    const text = this.#closeReason ?? `${reason.type}${reason.detail && ` (${reason.detail})`}`
    if (handler !== undefined) {
      this.#handler = undefined
      if (this.#peer !== undefined && isOfTls(reason)) {
        this.#options.onBadBytes({ ...this.#peer, code: 'TLS_FAILED', problem: reason.detail })
      }
      handler.lost(text)
    } else if (isOfTls(reason)) {
      this.notSecured(reason)
    } else if (!this.#hasFailed) {
      this.#hasFailed = true
      this.#options.owner.failed({ type: 'connection', reason })
    }
  }

  // ---- handshake

  #takeFrame(bytes: Buffer, start: number, end: number): string | undefined {
    if (this.#handler === undefined) {
      this.#step({ type: 'FrameReceived', bytes: bytes.subarray(start, end) })
      return undefined
    }
    try {
      this.#handler.frame(bytes, start, end)
      return undefined
    } catch (error) {
      if (error instanceof AssertionFailed) this.#options.onBroken(error)
      if (error instanceof CodedError) this.#problemCode = error.code
      return error instanceof Error ? error.message : 'a frame could not be processed'
    }
  }

  #step(input: HandshakeInput): void {
    for (const effect of this.#machine.step(input)) this.#perform(effect)
  }

  #perform(effect: HandshakeEffect): void {
    switch (effect.type) {
      case 'Send':
        this.write(effect.bytes)
        break
      case 'Establish':
        this.#establish(effect.peer, effect.lane)
        break
      case 'Fail':
        this.#fail(effect)
        break
      default:
        unreachable(effect)
    }
  }

  #establish(peer: NodeId, lane: Lane): void {
    assert(this.#handler === undefined, 'a connection is established once')
    this.#timer?.cancel()
    const handler = this.#options.owner.established(peer, lane, this)
    this.#reader.bytesMax = handler.frameBytesMax
    this.#handler = handler
    this.#peer = { peer, lane }
  }

  /** The connection stays a little, so that the other end can read why; not longer than a handshake may take. */
  #fail({ error, givenUpBy }: HandshakeFailure): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#reader.close()
    this.#connection?.end()
    this.#options.owner.failed({ type: 'handshake', error, givenUpBy })
  }

  #timedOut(): void {
    this.#step({ type: 'TimedOut' })
    this.#connection?.destroy()
  }

  #broken(problem: string): void {
    if (this.#peer !== undefined) {
      this.#options.onBadBytes({ ...this.#peer, code: this.#problemCode, problem })
    } else {
      const { isTls } = this.#reader
      this.#step({ type: 'NonsenseReceived', problem, isTls })
      // It is told why not.
      if (isTls) return
    }
    this.destroy(`closed by this node: ${problem}`)
  }
}

function isOfTls({ type }: CloseReason): boolean {
  return type === 'no-tls' || type === 'tls-version' || type === 'tls-failed'
}
