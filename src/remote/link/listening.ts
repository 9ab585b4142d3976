/** Takes connections of other nodes: a bounded number, of which a bounded number may be strangers. */
import type { HandshakeOptions, HandshakeRole } from '../handshake/handshake-machine.ts'
import type { Lane } from '../handshake/handshake-messages.ts'
import type { NodeId } from '../node-id.ts'
import type { Connection, ConnectionHandler } from '../transport.ts'
import type { LinkWorld } from './link-owner.ts'
import { type ConnectFailure, type FrameHandler, PeerConnection } from './peer-connection.ts'

export interface ListeningOptions {
  readonly world: LinkWorld
  readonly established: (peer: NodeId, lane: Lane, connection: PeerConnection) => FrameHandler
  readonly failed: (failure: ConnectFailure, from: string) => void
}

export class Listening {
  readonly #options: ListeningOptions
  readonly #connections = new Set<PeerConnection>()
  readonly #strangers = new Set<PeerConnection>()
  #isStopped = false

  constructor(options: ListeningOptions) {
    this.#options = options
  }

  accept(connection: Connection): ConnectionHandler {
    const { connectionsMax, handshakesMax } = this.#options.world.settings
    const isFull = this.#connections.size >= connectionsMax || this.#strangers.size >= handshakesMax
    const peer = this.#greet(connection.peer)
    peer.attach(connection)
    this.#connections.add(peer)
    this.#strangers.add(peer)
    if (isFull || this.#isStopped) peer.destroy('too many connections')
    return {
      opened: () => undefined,
      received: (bytes) => peer.received(bytes),
      drained: () => peer.drained(),
      ready: () => peer.ready(),
      closed: (reason) => {
        this.#connections.delete(peer)
        this.#strangers.delete(peer)
        peer.closed(reason)
      },
    }
  }

  /** Takes no more, and closes those that it has. */
  stop(): void {
    this.#isStopped = true
    for (const connection of this.#connections) connection.destroy('remoting stopped')
  }

  #greet(from: string): PeerConnection {
    const { world, established, failed } = this.#options
    const role: HandshakeRole = { type: 'listener', from }
    const handshake: HandshakeOptions = world.handshakeFor(role)
    const peerConnection = new PeerConnection({
      handshake,
      timers: world.runtime.environment.timers,
      timeoutMs: world.settings.handshakeTimeoutMs,
      owner: {
        established: (peer, lane, connection) => {
          this.#strangers.delete(peerConnection)
          return established(peer, lane, connection)
        },
        failed: (failure) => failed(failure, from),
      },
      onBroken: (error) => world.runtime.brokenInvariant(error),
      onBadBytes: world.onBadBytes,
    })
    return peerConnection
  }
}
