/**
 * TCP, encrypted by TLS 1.3, with a certificate at either end. Who calls is heard as soon as TCP stands, so that whoever
 * gets no further counts and is closed in time; nothing of TLS is made for it before it begins to speak that.
 */
import { createServer, Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { inNobodysContext } from '../../foundation/async-context.ts'
import { encodeHandshake } from '../handshake/handshake-messages.ts'
import { closedHere, endSoon, peerOf, reasonOf, SocketConnection } from '../socket-connection.ts'
import { listenOn } from '../tcp-listener.ts'
import type {
  CloseReason,
  Connection,
  ConnectionHandler,
  ConnectOptions,
  HostAndPort,
  Listener,
  SecureChannel,
  Transport,
} from '../transport.ts'
import { certificateOf } from './certificate.ts'
import { asDialer, distrustOf, judgedByUs, type TlsContext } from './tls-context.ts'

/** The first byte of whoever speaks TLS: a record of a handshake. */
const tlsByte = 0x16
/** As RFC 9266 has it: the same at both ends, another for every connection. */
const bindingLabel = 'EXPORTER-Channel-Binding'
const bindingBytes = 32

/** What one that speaks in the clear is told, in the clear. */
const tlsRequired = encodeHandshake({ type: 'Refusal', reason: 'tls-required' })

/** What new connections use: it may be another each time. */
export interface CurrentContext {
  readonly current: TlsContext
}

export function tlsTransport(credentials: CurrentContext): Transport {
  return {
    listen: (at, accept) => inNobodysContext(() => listen(credentials, at, accept)),
    connect: (to, handler, options) =>
      inNobodysContext(() => connect(credentials, to, handler, options)),
  }
}

function listen(
  credentials: CurrentContext,
  at: HostAndPort,
  accept: (connection: Connection) => ConnectionHandler,
): Promise<Listener> {
  let used = credentials.current
  const secure = createTlsServer({ ...used.options, ...judgedByUs })
  /** By both ends: all that a socket of TLS tells about the one it was made of. */
  const callers = new Map<string, TlsCaller>()
  secure.on('secureConnection', (socket) => {
    const caller = callers.get(endsOf(socket))
    if (caller === undefined) socket.destroy()
    else caller.secured(socket)
  })
  secure.on('tlsClientError', (error, socket) => {
    callers.get(endsOf(socket))?.failed(error)
    socket.destroy()
  })
  const encrypt = (socket: Socket): void => {
    if (used !== credentials.current) {
      used = credentials.current
      secure.setSecureContext(used.options)
    }
    secure.emit('connection', socket)
  }
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    // It has gone again, and cannot be told from others that have.
    if (socket.remoteAddress === undefined) {
      socket.destroy()
      return
    }
    const ends = endsOf(socket)
    const caller = new TlsCaller(socket, encrypt)
    callers.set(ends, caller)
    socket.once('close', () => {
      if (callers.get(ends) === caller) callers.delete(ends)
    })
    caller.attend(accept(caller))
  })
  return listenOn(server, at)
}

/** No two connections have the same; of the caller alone they may, where a node has several addresses. */
function endsOf(socket: Socket): string {
  return `${peerOf(socket)} ${socket.localAddress ?? ''}`
}

/** Somebody who has called: a socket in the clear until both ends have agreed on TLS, and nothing but that passes by it. */
class TlsCaller implements Connection {
  readonly peer: string
  readonly #socket: Socket
  readonly #encrypt: (socket: Socket) => void
  #secure: SocketConnection | undefined
  #handler: ConnectionHandler | undefined
  #reason: CloseReason | undefined
  /** Why not. */
  #isTold = false

  constructor(socket: Socket, encrypt: (socket: Socket) => void) {
    this.#socket = socket
    this.#encrypt = encrypt
    this.peer = peerOf(socket)
  }

  attend(handler: ConnectionHandler): void {
    const socket = this.#socket
    this.#handler = handler
    socket.on('error', (error) => (this.#reason ??= reasonOf(error)))
    socket.on('end', () => (this.#reason ??= { type: 'ended', detail: 'the other end closed' }))
    socket.on('close', () => {
      if (this.#secure === undefined) handler.closed(this.#reason ?? closedHere)
    })
    socket.on('readable', this.#firstBytes)
  }

  readonly #firstBytes = (): void => {
    const socket = this.#socket
    const bytes = socket.read() as Buffer | null
    if (bytes === null) return
    socket.off('readable', this.#firstBytes)
    if (bytes[0] === tlsByte) {
      socket.unshift(bytes)
      this.#encrypt(socket)
      return
    }
    const reason: CloseReason = { type: 'no-tls', detail: '' }
    this.#reason ??= reason
    this.#isTold = true
    socket.write(tlsRequired)
    endSoon(socket)
    // What else it says is not kept.
    socket.resume()
    // Now: one that stays would look as if it had said nothing.
    this.#handler?.notSecured?.(reason)
  }

  secured(socket: TLSSocket): void {
    const handler = this.#handler
    const channel = channelOf(socket)
    if (handler === undefined || channel === undefined || this.#socket.destroyed) {
      return void socket.destroy()
    }
    this.#secure = new SocketConnection(socket, reasonOfTls)
    this.#secure.attend(handler)
    handler.secured?.(channel)
  }

  failed(error: NodeJS.ErrnoException): void {
    this.#reason ??= reasonOfTls(error)
  }

  get isIdle(): boolean {
    return this.#secure?.isIdle ?? true
  }

  write(bytes: Buffer): boolean {
    return this.#secure?.write(bytes) ?? false
  }

  askForTurn(): void {
    this.#secure?.askForTurn()
  }

  end(): void {
    if (this.#secure !== undefined) this.#secure.end()
    else if (!this.#isTold) this.destroy()
  }

  destroy(): void {
    this.#reason ??= closedHere
    if (this.#secure === undefined) this.#socket.destroy()
    else this.#secure.destroy()
  }
}

function connect(
  { current }: CurrentContext,
  to: HostAndPort,
  handler: ConnectionHandler,
  { timeoutMs }: ConnectOptions,
): Connection {
  let socket: TLSSocket
  try {
    socket = connectTls({ ...to, secureContext: current.context, ...asDialer })
  } catch (error) {
    // Node says at once what it will never call: a port or a host of a wrong form.
    const { code, message } = error as NodeJS.ErrnoException
    const stillborn = new SocketConnection(new Socket())
    stillborn.attend(handler)
    stillborn.close({ type: 'unreachable', detail: code ?? message })
    return stillborn
  }
  const connection = new SocketConnection(socket, reasonOfTls)
  const timer = setTimeout(() => connection.close({ type: 'timed-out', detail: '' }), timeoutMs)
  socket.once('secureConnect', () => {
    clearTimeout(timer)
    const channel = channelOf(socket)
    if (channel === undefined) return connection.destroy()
    handler.secured?.(channel)
    handler.opened()
  })
  socket.once('close', () => clearTimeout(timer))
  connection.attend(handler)
  return connection
}

/** Undefined when it has broken already. */
function channelOf(socket: TLSSocket): SecureChannel | undefined {
  try {
    const binding = socket.exportKeyingMaterial(bindingBytes, bindingLabel, Buffer.alloc(0))
    // Of a session that is taken up again no certificate was seen now, and Node may call it authorized all the same.
    const shown = socket.isSessionReused() ? undefined : socket.getPeerX509Certificate()
    const certificate = shown === undefined ? undefined : certificateOf(shown)
    return { binding, certificate, distrust: distrustOf(socket) }
  } catch {
    return undefined
  }
}

const notTls = /_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|HTTPS_PROXY_REQUEST)$/
const otherVersion =
  /_(UNSUPPORTED_PROTOCOL|ALERT_PROTOCOL_VERSION|VERSION_TOO_LOW|NO_PROTOCOLS_AVAILABLE)$/

/** OpenSSL has its own names for what goes wrong; a connection that breaks has those of TCP. */
function reasonOfTls(error: NodeJS.ErrnoException): CloseReason {
  const { code = '' } = error
  if (!code.startsWith('ERR_SSL_')) return reasonOf(error)
  if (notTls.test(code)) return { type: 'no-tls', detail: code }
  return { type: otherVersion.test(code) ? 'tls-version' : 'tls-failed', detail: code }
}
