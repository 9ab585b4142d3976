/** A socket of Node as a `Connection`: without Nagle's delay, and with keep-alive, so that a silent end is noticed. */
import type { Socket } from 'node:net'
import type { CloseReason, Connection, ConnectionHandler } from './transport.ts'

const keepAliveMs = 10_000
const endTimeoutMs = 2_000

export class SocketConnection implements Connection {
  readonly #socket: Socket
  readonly #reasonOf: (error: NodeJS.ErrnoException) => CloseReason
  #reason: CloseReason | undefined
  #handler: ConnectionHandler | undefined
  #hasTurn = false

  constructor(socket: Socket, toReason: (error: NodeJS.ErrnoException) => CloseReason = reasonOf) {
    this.#socket = socket
    this.#reasonOf = toReason
    socket.setKeepAlive(true, keepAliveMs)
    socket.setNoDelay(true)
  }

  attend(handler: ConnectionHandler): void {
    const socket = this.#socket
    this.#handler = handler
    socket.on('data', (bytes) => handler.received(bytes))
    socket.on('drain', () => handler.drained())
    socket.on('error', (error) => (this.#reason ??= this.#reasonOf(error)))
    socket.on('end', () => (this.#reason ??= { type: 'ended', detail: 'the other end closed' }))
    socket.on('close', () => handler.closed(this.#reason ?? closedHere))
  }

  get peer(): string {
    return peerOf(this.#socket)
  }

  get isIdle(): boolean {
    return this.#socket.writableLength === 0
  }

  write(bytes: Buffer): boolean {
    return this.#socket.writable && this.#socket.write(bytes)
  }

  askForTurn(): void {
    if (this.#hasTurn) return
    this.#hasTurn = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#hasTurn = false
    if (!this.#socket.destroyed) this.#handler?.ready()
  }

  end(): void {
    this.#reason ??= closedHere
    endSoon(this.#socket)
  }

  destroy(): void {
    this.close(closedHere)
  }

  close(reason: CloseReason): void {
    this.#reason ??= reason
    this.#socket.destroy()
  }
}

export const closedHere: CloseReason = { type: 'destroyed', detail: 'closed by this node' }

/** Somebody who never answers the end must not keep this process alive. */
export function endSoon(socket: Socket): void {
  socket.end()
  socket.setTimeout(endTimeoutMs, () => socket.destroy())
}

export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? 'unknown'}:${remotePort ?? 0}`
}

export function reasonOf(error: NodeJS.ErrnoException): CloseReason {
  const detail = error.code ?? error.message
  switch (error.code) {
    case 'ECONNREFUSED':
      return { type: 'refused', detail }
    case 'ETIMEDOUT':
      return { type: 'timed-out', detail }
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { type: 'unreachable', detail }
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { type: 'unknown-host', detail }
    default:
      return { type: 'reset', detail }
  }
}
