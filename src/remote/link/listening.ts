/**
 * Takes connections of other nodes: a bounded number, of which a bounded number may be strangers. A stranger more makes
 * another one go (`strangers.ts`); a connection more is closed.
 */
import { minutes } from '../../foundation/duration.ts'
import type { HandshakeOptions, HandshakeRole } from '../handshake/handshake-inputs.ts'
import type { Lane } from '../lane.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Connection, ConnectionHandler } from '../transport.ts'
import type { LinkWorld } from './link-owner.ts'
import { type ConnectFailure, type FrameHandler, PeerConnection } from './peer-connection.ts'
import { hostOf, type Stranger, Strangers } from './strangers.ts'

const reportIntervalMs = minutes(1)

export interface ListeningOptions {
  readonly world: LinkWorld
  readonly established: (peer: NodeId, lane: Lane, connection: PeerConnection) => FrameHandler
  readonly failed: (failure: ConnectFailure, from: string) => void
}

export class Listening {
  readonly #options: ListeningOptions
  readonly #connections = new Set<Caller>()
  readonly #strangers = new Strangers<Caller>()
  #reportedMs = -Infinity
  #isStopped = false

  constructor(options: ListeningOptions) {
    this.#options = options
  }

  accept(connection: Connection): ConnectionHandler {
    const { connectionsMax, handshakesMax } = this.#options.world.settings
    const isFull = this.#connections.size >= connectionsMax
    if (isFull || this.#strangers.count >= handshakesMax) this.#makeRoom()
    const caller = new Caller(connection.peer, this.#options, () => this.#strangers.delete(caller))
    const { peer } = caller
    peer.attach(connection)
    const hasRoom = this.#connections.size < connectionsMax
    this.#connections.add(caller)
    this.#strangers.add(caller)
    if (!hasRoom || this.#isStopped) peer.destroy('too many connections')
    return {
      secured: (channel) => peer.secured(channel),
      notSecured: (reason) => peer.notSecured(reason),
      opened: () => undefined,
      received: (bytes) => peer.received(bytes),
      drained: () => peer.drained(),
      ready: () => peer.ready(),
      closed: (reason) => {
        this.#forget(caller)
        peer.closed(reason)
      },
    }
  }

  /** Takes no more, and closes those that it has. */
  stop(): void {
    this.#isStopped = true
    for (const { peer } of this.#connections) peer.destroy('remoting stopped')
  }

  #makeRoom(): void {
    const first = this.#strangers.first()
    if (first === undefined) return
    this.#report(first.stranger, first.share)
    // At once: that it is closed is heard of later.
    this.#forget(first.stranger)
    first.stranger.peer.destroy('too many connections')
  }

  #forget(caller: Caller): void {
    this.#connections.delete(caller)
    this.#strangers.delete(caller)
  }

  #report({ from }: Stranger, share: number): void {
    const { environment, logger } = this.#options.world.runtime
    const nowMs = environment.clock.monotonicMs()
    if (nowMs - this.#reportedMs < reportIntervalMs) return
    this.#reportedMs = nowMs
    const [host, { count }] = [hostOf(from), this.#strangers]
    logger.warn(
      { host, share, count },
      `${count} connections have not said who they are, ${share} of them from ${host}: for each that comes one of these is closed. Let only nodes of the cluster reach this port; where that many start at once, raise settings.remote.handshakesMax.`,
    )
  }
}

/** One connection, and where it comes from. */
class Caller implements Stranger {
  readonly from: string
  readonly peer: PeerConnection

  constructor(from: string, options: ListeningOptions, onEstablished: () => void) {
    const { world, established, failed } = options
    const role: HandshakeRole = { type: 'listener', from }
    const handshake: HandshakeOptions = world.handshakeFor(role)
    this.from = from
    this.peer = new PeerConnection({
      handshake,
      timers: world.runtime.environment.timers,
      timeoutMs: world.settings.handshakeTimeoutMs,
      owner: {
        established: (peer, lane, connection) => {
          onEstablished()
          return established(peer, lane, connection)
        },
        failed: (failure) => failed(failure, from),
      },
      onBroken: (error) => world.runtime.brokenInvariant(error),
      onBadBytes: world.onBadBytes,
    })
  }

  get isGreeting(): boolean {
    return this.peer.isGreeting
  }
}
