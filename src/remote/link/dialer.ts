/**
 * Brings about the connections of one link: dials, pauses after a failure, dials again as long as there is something to
 * send, and gives up what waits when that takes too long. Closes a connection that nobody has used for a while.
 */
import type { Timer } from '../../foundation/timers.ts'
import type { Lane } from '../lane.ts'
import { type Address, type NodeId, hostAndPortOf } from '../../foundation/node-id.ts'
import {
  HandshakeBroken,
  HandshakeTimeout,
  IncarnationRefused,
  TooManyPeers,
} from '../remote-errors.ts'
import { BackOff } from './back-off.ts'
import type { LinkWorld } from './link-owner.ts'
import {
  type ConnectFailure,
  type ConnectionOwner,
  type FrameHandler,
  PeerConnection,
} from './peer-connection.ts'

/** The link that is dialed for. */
export interface DialedLink extends ConnectionOwner {
  /** Whether anything waits for a connection. */
  hasWork(): boolean
  /** The peer could not be reached, or had no room for this node, for as long as messages wait. */
  gaveUp(reason: 'unreachable' | 'too-many-peers'): void
  /** The open connection has not been used for long. */
  idle(): void
}

type State = 'resting' | 'dialing' | 'open' | 'pausing' | 'stopped'

export class Dialer implements ConnectionOwner {
  readonly #lane: Lane
  readonly #world: LinkWorld
  readonly #address: Address
  readonly #link: DialedLink
  readonly #backOff: BackOff
  #state: State = 'resting'
  #attempt: PeerConnection | undefined
  #pause: Timer | undefined
  #patience: Timer | undefined
  #idleness: Timer | undefined
  #isUsed = false
  /** Whoever is there has said so, the last time. */
  #isWithoutRoom = false

  constructor(lane: Lane, world: LinkWorld, address: Address, link: DialedLink) {
    this.#lane = lane
    this.#world = world
    this.#address = address
    this.#link = link
    const { reconnectMinMs, reconnectMaxMs } = world.settings
    this.#backOff = new BackOff(reconnectMinMs, reconnectMaxMs, world.runtime.environment.random)
  }

  /** The last connection failed or broke, and the next is not tried yet. */
  get isPausing(): boolean {
    return this.#state === 'pausing'
  }

  /** There is something to send. */
  begin(): void {
    if (this.#state === 'dialing' || this.#state === 'open' || this.#state === 'stopped') return
    this.#patience ??= this.#after(this.#world.settings.giveUpAfterMs, () => this.#giveUp())
    if (this.#state === 'resting') this.#dial()
  }

  /** Nothing waits any more: what comes next has all the time there is. */
  nothingWaits(): void {
    this.#patience?.cancel()
    this.#patience = undefined
  }

  /** The open connection was used. */
  used(): void {
    this.#isUsed = true
  }

  /** The open connection is no more. */
  lost(): void {
    if (this.#state !== 'open') return
    this.#idleness?.cancel()
    this.#rest()
  }

  stop(): void {
    this.#state = 'stopped'
    this.#pause?.cancel()
    this.#patience?.cancel()
    this.#idleness?.cancel()
    this.#attempt?.destroy('remoting stopped')
  }

  // ---- from the connection

  established(peer: NodeId, lane: Lane, connection: PeerConnection): FrameHandler {
    this.#state = 'open'
    // From now on it is the link that ends it, when its last bytes have gone.
    this.#attempt = undefined
    this.#isWithoutRoom = false
    this.nothingWaits()
    this.#backOff.reset()
    this.#isUsed = true
    this.#watchIdleness()
    return this.#link.established(peer, lane, connection)
  }

  failed(failure: ConnectFailure): void {
    if (this.#state !== 'dialing') return
    this.#attempt = undefined
    this.#isWithoutRoom = isAboutRoom(failure)
    if (needsAPerson(failure)) this.#backOff.slow()
    this.#rest()
    this.#link.failed(failure)
  }

  #dial(): void {
    const { settings, transport, runtime } = this.#world
    this.#state = 'dialing'
    const attempt = new PeerConnection({
      handshake: this.#world.handshakeFor({
        type: 'dialer',
        lane: this.#lane,
        to: this.#address,
      }),
      timers: runtime.environment.timers,
      timeoutMs: settings.handshakeTimeoutMs,
      owner: this,
      onBroken: (error) => runtime.brokenInvariant(error),
      onBadBytes: this.#world.onBadBytes,
    })
    this.#attempt = attempt
    const timeoutMs = settings.connectTimeoutMs
    attempt.attach(transport.connect(hostAndPortOf(this.#address), attempt, { timeoutMs }))
  }

  /** Always a pause, so that a peer that takes and breaks connections is not stormed. */
  #rest(): void {
    this.#state = 'pausing'
    this.#pause = this.#after(this.#backOff.next(), () => {
      this.#state = 'resting'
      if (this.#link.hasWork()) this.begin()
      else this.nothingWaits()
    })
    if (this.#link.hasWork()) this.begin()
  }

  #giveUp(): void {
    this.#patience = undefined
    this.#link.gaveUp(this.#isWithoutRoom ? 'too-many-peers' : 'unreachable')
  }

  #watchIdleness(): void {
    this.#idleness = this.#after(this.#world.settings.idleAfterMs, () => {
      if (this.#isUsed || this.#link.hasWork()) {
        this.#isUsed = false
        this.#watchIdleness()
      } else {
        this.#link.idle()
      }
    })
  }

  #after(ms: number, callback: () => void): Timer {
    return this.#world.runtime.environment.timers.after(ms, callback)
  }
}

/** Whether trying again is of no use until somebody changes something. */
export function isFinal(failure: ConnectFailure): boolean {
  if (failure.type === 'connection' || isAboutRoom(failure)) return false
  return !(failure.error instanceof HandshakeTimeout || failure.error instanceof HandshakeBroken)
}

/** It belongs to us, and room there may come. */
function isAboutRoom(failure: ConnectFailure): boolean {
  return failure.type === 'handshake' && failure.error instanceof TooManyPeers
}

/** Whether somebody has to change settings or certificates first. Where it is about an incarnation, a restart helps. */
function needsAPerson(failure: ConnectFailure): boolean {
  if (!isFinal(failure) || failure.type === 'connection') return false
  return !(failure.error instanceof IncarnationRefused)
}
