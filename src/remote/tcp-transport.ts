/**
 * The network of this machine: TCP without Nagle's delay and with keep-alive, so that a silent end is noticed. Sockets
 * outlive whoever was the reason for them, so they are made in nobody's async context.
 */
import { createServer, type Server, Socket } from 'node:net'
import { inNobodysContext } from '../foundation/async-context.ts'
import { HostNotOurs, PortTaken } from './remote-errors.ts'
import type {
  CloseReason,
  Connection,
  ConnectionHandler,
  ConnectOptions,
  HostAndPort,
  Listener,
  Transport,
} from './transport.ts'

const keepAliveMs = 10_000
const endTimeoutMs = 2_000
const notOurs: ReadonlySet<unknown> = new Set([
  'EADDRNOTAVAIL',
  'EINVAL',
  // A name that nobody knows, or that nobody could be asked for.
  'ENOTFOUND',
  'EAI_AGAIN',
])

export const tcpTransport: Transport = {
  listen: (at, accept) => inNobodysContext(() => listen(at, accept)),
  connect: (to, handler, options) => inNobodysContext(() => connect(to, handler, options)),
}

function listen(
  at: HostAndPort,
  accept: (connection: Connection) => ConnectionHandler,
): Promise<Listener> {
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const connection = new TcpConnection(socket)
    connection.attend(accept(connection))
  })
  return listening(server, at)
}

function connect(
  to: HostAndPort,
  handler: ConnectionHandler,
  { timeoutMs }: ConnectOptions,
): Connection {
  const socket = new Socket()
  const connection = new TcpConnection(socket)
  const timer = setTimeout(() => connection.close({ type: 'timed-out', detail: '' }), timeoutMs)
  socket.once('connect', () => {
    clearTimeout(timer)
    handler.opened()
  })
  socket.once('close', () => clearTimeout(timer))
  connection.attend(handler)
  try {
    socket.connect(to)
  } catch (error) {
    // Node says at once what it will never call: a port or a host of a wrong form.
    const { code, message } = error as NodeJS.ErrnoException
    connection.close({ type: 'unreachable', detail: code ?? message })
  }
  return connection
}

class TcpConnection implements Connection {
  readonly #socket: Socket
  #reason: CloseReason | undefined
  #handler: ConnectionHandler | undefined
  #hasTurn = false

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setKeepAlive(true, keepAliveMs)
    socket.setNoDelay(true)
  }

  attend(handler: ConnectionHandler): void {
    const socket = this.#socket
    this.#handler = handler
    socket.on('data', (bytes) => handler.received(bytes))
    socket.on('drain', () => handler.drained())
    socket.on('error', (error: NodeJS.ErrnoException) => (this.#reason ??= reasonOf(error)))
    socket.on('end', () => (this.#reason ??= { type: 'ended', detail: 'the other end closed' }))
    socket.on('close', () =>
      handler.closed(this.#reason ?? { type: 'destroyed', detail: 'closed by this node' }),
    )
  }

  get peer(): string {
    const { remoteAddress, remotePort } = this.#socket
    return `${remoteAddress ?? 'unknown'}:${remotePort ?? 0}`
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
    this.#reason ??= { type: 'destroyed', detail: 'closed by this node' }
    this.#socket.end()
    // Somebody who never answers the end must not keep this process alive.
    this.#socket.setTimeout(endTimeoutMs, () => this.#socket.destroy())
  }

  destroy(): void {
    this.close({ type: 'destroyed', detail: 'closed by this node' })
  }

  close(reason: CloseReason): void {
    this.#reason ??= reason
    this.#socket.destroy()
  }
}

function listening(server: Server, at: HostAndPort): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(whyNotListening(error, at))
    server.once('error', failed)
    server.listen({ ...at, exclusive: true }, () => {
      server.off('error', failed)
      // A failed accept (no file left, say) must not end the process; the peer will come again.
      server.on('error', () => undefined)
      const bound = server.address()
      const port = typeof bound === 'object' && bound !== null ? bound.port : at.port
      resolve({ port, close: () => closed(server) })
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Node calls back when the last connection has gone; the port is free at once.
    server.close()
    resolve()
  })
}

function whyNotListening(error: NodeJS.ErrnoException, at: HostAndPort): Error {
  if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
    return new PortTaken(at, error.code === 'EACCES', error)
  }
  if (notOurs.has(error.code)) return new HostNotOurs(at, error)
  return error
}

function reasonOf(error: NodeJS.ErrnoException): CloseReason {
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
