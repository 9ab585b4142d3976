/**
 * Tells the operator and the event stream about connections that did not come about, each cause once until it changes,
 * and about those that were closed for what came by them.
 */
import type { ActorSystem } from '../actor/index.ts'
import type { Lane } from './handshake/handshake-messages.ts'
import type { BadBytes, ConnectFailure } from './link/peer-connection.ts'
import type { Address, NodeId } from './node-id.ts'
import type { HandshakeError } from './remote-errors.ts'
import { ConnectionFailed, HandshakeFailed, ThisNodeQuarantined } from './remote-events.ts'
import { RepeatedNews } from './repeated-news.ts'

const rememberedMax = 1_000

export class FailureReports {
  readonly #system: ActorSystem
  /** What was last logged about a peer. */
  readonly #logged = new Map<string, string>()
  readonly #badBytes = new RepeatedNews()

  constructor(system: ActorSystem) {
    this.#system = system
  }

  outboundFailed(failure: ConnectFailure, address: Address): void {
    if (failure.type === 'handshake') {
      const { eventStream } = this.#system
      eventStream.publish(new HandshakeFailed(failure.error, address))
      if (failure.givenUpBy !== undefined) eventStream.publish(new ThisNodeQuarantined(address))
      return this.#warn(failure.error, address)
    }
    const failed = new ConnectionFailed(address, failure.reason)
    this.#system.eventStream.publish(failed)
    const text = `Node ${address} ${failed.text}`
    if (this.#isNews(address, text)) this.#system.log.info({ address, reason: failed.reason }, text)
  }

  inboundFailed(failure: ConnectFailure, from: string): void {
    if (failure.type === 'handshake') {
      this.#system.eventStream.publish(new HandshakeFailed(failure.error))
      return this.#warn(failure.error, failure.error.address)
    }
    this.#system.log.debug({ from }, `A connection from ${from} ended before it began`)
  }

  inboundLost(node: NodeId, lane: Lane, reason: string): void {
    this.#system.log.debug({ node, lane, reason }, `Connection from ${node} ended: ${reason}`)
  }

  /** What was under way by that connection is lost, and only this node knows why. */
  badBytes({ peer, lane, code, problem }: BadBytes): void {
    const leftOut = this.#badBytes.leftOut(`${peer} ${code}`, this.#nowMs())
    if (leftOut === undefined) return
    this.#system.log.warn(
      { node: peer, lane, code, leftOut },
      `Closed the ${lane} connection with ${peer} for what it sent: ${problem}. Messages under way by it are lost. Have both nodes the same settings remote.serialization and remote.largeMessageBytesMax, and versions of Sherd that go together?`,
    )
  }

  #nowMs(): number {
    return this.#system.environment.clock.monotonicMs()
  }

  #warn(error: HandshakeError, address: Address): void {
    if (this.#isNews(address, error.message)) this.#system.log.warn({ err: error }, error.message)
  }

  #isNews(key: string, text: string): boolean {
    if (this.#logged.get(key) === text) return false
    if (this.#logged.size >= rememberedMax) this.#logged.clear()
    this.#logged.set(key, text)
    return true
  }
}
