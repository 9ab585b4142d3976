/**
 * The network of this machine: TCP, in the clear. Sockets outlive whoever was the reason for them, so they are made in
 * nobody's async context.
 */
import { createServer, Socket } from 'node:net'
import { inNobodysContext } from '../foundation/async-context.ts'
import { SocketConnection } from './socket-connection.ts'
import { listenOn } from './tcp-listener.ts'
import type {
  Connection,
  ConnectionHandler,
  ConnectOptions,
  HostAndPort,
  Listener,
  Transport,
} from './transport.ts'

export const tcpTransport: Transport = {
  listen: (at, accept) => inNobodysContext(() => listen(at, accept)),
  connect: (to, handler, options) => inNobodysContext(() => connect(to, handler, options)),
}

function listen(
  at: HostAndPort,
  accept: (connection: Connection) => ConnectionHandler,
): Promise<Listener> {
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const connection = new SocketConnection(socket)
    connection.attend(accept(connection))
  })
  return listenOn(server, at)
}

function connect(
  to: HostAndPort,
  handler: ConnectionHandler,
  { timeoutMs }: ConnectOptions,
): Connection {
  const socket = new Socket()
  const connection = new SocketConnection(socket)
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
