/**
 * Tells the operator and the event stream about connections that did not come about, about those that were closed for
 * what came by them, and about peers that were given up for that: where this node calls, each cause once until it changes; where others do, they must not be
 * able to fill the log, whatever they say and as often as they come.
 */
import type { ActorSystem } from '../actor/index.ts'
import type { Lane } from './lane.ts'
import type { BadBytes, ConnectFailure } from './link/peer-connection.ts'
import { hostOf } from './link/strangers.ts'
import { type Address, addressOfNode, type NodeId } from '../foundation/node-id.ts'
import type { HandshakeError } from './remote-errors.ts'
import { ConnectionFailed, HandshakeFailed, ThisNodeQuarantined } from './remote-events.ts'
import { RepeatedNews } from './repeated-news.ts'

const rememberedMax = 1_000

export class FailureReports {
  readonly #system: ActorSystem
  /** What was last logged about an address that this node calls. */
  readonly #logged = new Map<string, string>()
  readonly #inbound = new RepeatedNews()
  readonly #badBytes = new RepeatedNews()
  readonly #neverReached = new RepeatedNews()

  constructor(system: ActorSystem) {
    this.#system = system
  }

  outboundFailed(failure: ConnectFailure, address: Address): void {
    if (failure.type === 'handshake') {
      const { eventStream } = this.#system
      eventStream.publish(new HandshakeFailed(failure.error, address))
      if (failure.givenUpBy !== undefined) eventStream.publish(new ThisNodeQuarantined(address))
      if (!this.#isNews(address, failure.error.message)) return
      return this.#system.log.warn({ err: failure.error }, failure.error.message)
    }
    const failed = new ConnectionFailed(address, failure.reason)
    this.#system.eventStream.publish(failed)
    const text = `Node ${address} ${failed.text}`
    if (this.#isNews(address, text)) this.#system.log.info({ address, reason: failed.reason }, text)
  }

  inboundFailed(failure: ConnectFailure, from: string): void {
    if (failure.type === 'handshake') {
      this.#system.eventStream.publish(new HandshakeFailed(failure.error))
      return this.#warnOfStranger(failure.error, from)
    }
    this.#system.log.debug({ from }, `A connection from ${from} ended before the handshake began`)
  }

  inboundLost(node: NodeId, lane: Lane, reason: string): void {
    this.#system.log.debug({ peer: node, lane, reason }, `Connection from ${node} ended: ${reason}`)
  }

  /** By address: it may call from any number of them. */
  neverReached(node: NodeId): void {
    const address = addressOfNode(node)
    const leftOut = this.#neverReached.leftOut(address, this.#nowMs())
    if (leftOut === undefined) return
    this.#system.log.warn(
      { peer: node, leftOut },
      `${address} has called this node and cannot be called at that address: it is given up, and nothing passes between the two until one of them was restarted. Correct \`advertised\` there, or let this node through to it.`,
    )
  }

  /** What was under way by that connection is lost, and only this node knows why. */
  badBytes({ peer, lane, code, problem }: BadBytes): void {
    const leftOut = this.#badBytes.leftOut(`${peer} ${code}`, this.#nowMs())
    if (leftOut === undefined) return
    const advice =
      code === 'TLS_FAILED'
        ? 'Something between the two nodes has changed what was sent: look at the network.'
        : 'Do both nodes have the same settings remote.serialization and remote.largeMessageBytesMax, and versions of Sherd that go together?'
    this.#system.log.warn(
      { peer, lane, code, leftOut },
      `Closed a connection with ${peer} for what it sent: ${problem}. Messages under way by it are lost. ${advice}`,
    )
  }

  #nowMs(): number {
    return this.#system.environment.clock.monotonicMs()
  }

  /** By host and kind of error: the port is another each time, and the address in a Hello is what somebody claims. */
  #warnOfStranger(error: HandshakeError, from: string): void {
    const leftOut = this.#inbound.leftOut(`${hostOf(from)} ${error.code}`, this.#nowMs())
    if (leftOut === undefined) return
    const more = leftOut > 0 ? ` (Since the last such line, ${leftOut} were left out.)` : ''
    this.#system.log.warn({ err: error, from, leftOut }, `${error.message}${more}`)
  }

  #isNews(key: string, text: string): boolean {
    if (this.#logged.get(key) === text) return false
    if (this.#logged.size >= rememberedMax) this.#logged.clear()
    this.#logged.set(key, text)
    return true
  }
}
