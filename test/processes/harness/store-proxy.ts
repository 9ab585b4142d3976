/** Stands between nodes and a server that they share: all their connections to it can be stalled, as behind a cable that was pulled. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { Pipe } from './tcp-proxy.ts'

export class StoreProxy {
  readonly #server: Server
  readonly #targetPort: number
  readonly #sockets = new Set<Socket>()
  readonly #pipes = new Set<Pipe>()
  #isStalled = false

  private constructor(targetPort: number) {
    this.#targetPort = targetPort
    this.#server = createServer((socket) => this.#lead(socket))
  }

  static async before(targetPort: number): Promise<StoreProxy> {
    const proxy = new StoreProxy(targetPort)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Nothing passes, and nobody is told. */
  stall(): void {
    this.#isStalled = true
    for (const pipe of this.#pipes) pipe.follow()
  }

  /** What was held arrives now. */
  flow(): void {
    this.#isStalled = false
    for (const pipe of this.#pipes) pipe.follow()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #lead(dialer: Socket): void {
    const target = connect(this.#targetPort, '127.0.0.1')
    const isStalled = (): boolean => this.#isStalled
    const pipes = [new Pipe(dialer, target, isStalled), new Pipe(target, dialer, isStalled)]
    for (const pipe of pipes) this.#pipes.add(pipe)
    for (const socket of [dialer, target]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        if (this.#sockets.has(dialer) || this.#sockets.has(target)) return
        for (const pipe of pipes) this.#pipes.delete(pipe)
      })
    }
  }
}
