/** How a server of Node listens for connections, and why it cannot. */
import type { Server } from 'node:net'
import { HostNotOurs, PortTaken } from './remote-errors.ts'
import type { HostAndPort, Listener } from './transport.ts'

const notOurs: ReadonlySet<unknown> = new Set([
  'EADDRNOTAVAIL',
  'EINVAL',
  // A name that nobody knows, or that nobody could be asked for.
  'ENOTFOUND',
  'EAI_AGAIN',
])

export function listenOn(server: Server, at: HostAndPort): Promise<Listener> {
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
