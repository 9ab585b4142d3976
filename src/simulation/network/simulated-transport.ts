/** The network as one life of one node sees it: it listens and connects from its own machine, and stops when that life does. */
import {
  type Connection,
  type ConnectionHandler,
  type ConnectOptions,
  type HostAndPort,
  HostNotOurs,
  type Listener,
  PortTaken,
  type Transport,
} from '../../remote/index.ts'
import type { Incarnation } from '../incarnation.ts'
import type { OpenPort, SimulatedNetwork } from './simulated-network.ts'

const EPHEMERAL_START = 32_768

export class SimulatedTransport implements Transport {
  readonly #network: SimulatedNetwork
  readonly #life: Incarnation
  #lastPort = EPHEMERAL_START

  constructor(network: SimulatedNetwork, life: Incarnation) {
    this.#network = network
    this.#life = life
  }

  async listen(
    at: HostAndPort,
    accept: (connection: Connection) => ConnectionHandler,
  ): Promise<Listener> {
    if (!this.#life.mayAct('listen')) return new Promise(() => {})
    const host = this.#hostOf(at.host)
    if (host !== this.#life.name) throw new HostNotOurs(at, undefined)
    const listening: OpenPort = { life: this.#life, accept, waiting: 0 }
    let { port } = at
    const isTaken = (): boolean => !this.#network.listen(keyOf(host, port), listening)
    if (port === 0) {
      do port = ++this.#lastPort
      while (isTaken())
    } else if (isTaken()) {
      throw new PortTaken(at, false, undefined)
    }
    const close = async (): Promise<void> => this.#network.unlisten(keyOf(host, port), listening)
    return { port, close }
  }

  connect(to: HostAndPort, handler: ConnectionHandler, { timeoutMs }: ConnectOptions): Connection {
    const host = this.#hostOf(to.host)
    const near = this.#network.newEnd(this.#life, this.#life.name, `${to.host}:${to.port}`)
    if (!this.#life.mayAct('connect')) return near
    const timer = this.#life.appoint(timeoutMs, 'connect-timeout', () =>
      near.fail({ type: 'timed-out', detail: `no answer from ${host} within ${timeoutMs} ms` }),
    )
    near.attend({
      opened: () => {
        timer.cancel()
        handler.opened()
      },
      received: (bytes) => handler.received(bytes),
      drained: () => handler.drained(),
      ready: () => handler.ready(),
      closed: (reason) => {
        timer.cancel()
        handler.closed(reason)
      },
    })
    this.#network.reach(near, { host, key: keyOf(host, to.port) })
    return near
  }

  /** Every machine calls itself localhost. */
  #hostOf(host: string): string {
    return /^(localhost|::1?|0\.0\.0\.0|127(\.\d{1,3}){3})$/.test(host) ? this.#life.name : host
  }
}

function keyOf(host: string, port: number): string {
  return `${host}:${port}`
}
