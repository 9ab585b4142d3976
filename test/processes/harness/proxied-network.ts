/**
 * The network between the nodes of a cluster of processes. Every node advertises the port of its proxy, so all that goes
 * from one to another passes here and every link can be stalled, cut or reset by itself, in one direction or in both, and
 * all can be slow.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { freePort } from './free-port.ts'
import { type LinkRules, ProxiedConnection } from './tcp-proxy.ts'

export class ProxiedNetwork {
  readonly #servers: Server[] = []
  readonly #names = new Map<number, string>()
  readonly #connections = new Set<ProxiedConnection>()
  /** Directions, as `from>to`. */
  readonly #stalled = new Set<string>()
  readonly #cut = new Set<string>()
  #lateMs = 0
  readonly #rules: LinkRules = {
    nameOf: (port) => this.#names.get(port),
    isCut: (from, to) => this.#cut.has(`${from}>${to}`),
    isStalled: (from, to) => this.#stalled.has(`${from}>${to}`),
    lateMs: () => this.#lateMs * (0.5 + Math.random()),
  }

  /** Opens the proxy of a node that listens on `targetPort`; answers the port to advertise. */
  async add(name: string, targetPort: number): Promise<number> {
    const server = createServer((socket) => {
      const connection = new ProxiedConnection(socket, name, targetPort, this.#rules)
      this.#connections.add(connection)
      connection.onClosed(() => this.#connections.delete(connection))
    })
    server.listen(await freePort(), '127.0.0.1')
    await once(server, 'listening')
    this.#servers.push(server)
    const { port } = server.address() as AddressInfo
    this.#names.set(port, name)
    return port
  }

  /** What these nodes send to those arrives no more, and nobody is told; the other direction is as it was. */
  stallOneWay(from: readonly string[], to: readonly string[]): void {
    for (const link of directions(from, to)) this.#stalled.add(link)
    this.#follow()
  }

  /** Nothing passes between the two sides, and nobody is told. */
  partition(left: readonly string[], right: readonly string[]): void {
    this.stallOneWay(left, right)
    this.stallOneWay(right, left)
  }

  /** From now on all bytes are late by about so much, and not always by the same. */
  slow(lateMs: number): void {
    this.#lateMs = lateMs
  }

  /** Connections between the two sides are reset, and so is every new one. */
  cut(left: readonly string[], right: readonly string[]): void {
    for (const link of [...directions(left, right), ...directions(right, left)]) this.#cut.add(link)
    this.reset(left, right)
  }

  /** Connections between the two sides are reset, once. */
  reset(left: readonly string[], right: readonly string[]): void {
    const links = new Set([...directions(left, right), ...directions(right, left)])
    for (const connection of this.#connections) {
      if (links.has(`${connection.from}>${connection.to}`)) connection.reset()
    }
  }

  /** Everything flows again; what was stalled arrives now. */
  heal(): void {
    this.#stalled.clear()
    this.#cut.clear()
    this.#lateMs = 0
    this.#follow()
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((done) => void server.close(done)))
    for (const connection of this.#connections) connection.reset()
    await Promise.all(closed)
  }

  #follow(): void {
    for (const connection of this.#connections) connection.follow()
  }
}

function directions(from: readonly string[], to: readonly string[]): string[] {
  return from.flatMap((a) => to.map((b) => `${a}>${b}`))
}
