/**
 * A transport around another one whose connections are stopped by lane: what the dialer writes on a stopped lane waits
 * here, as behind a link that is full, until it may flow or is cut. The lane is read from the first frame.
 */
import type {
  Connection,
  ConnectionHandler,
  HostAndPort,
  Lane,
  Transport,
} from '../../src/remote/index.ts'

/** Behind the length, kind, magic and version of a Hello. */
const laneAt = 10
const lanes: readonly Lane[] = ['control', 'data', 'large']

export class LaneTap implements Transport {
  /** Bytes that the dialer wrote, on lanes stopped or not. */
  readonly written: Record<Lane, number> = { control: 0, data: 0, large: 0 }
  readonly #inner: Transport
  readonly #stopped = new Set<Lane>()
  readonly #connections = new Set<TappedConnection>()

  constructor(inner: Transport) {
    this.#inner = inner
  }

  stop(lane: Lane): void {
    this.#stopped.add(lane)
  }

  flow(lane: Lane): void {
    this.#stopped.delete(lane)
    for (const connection of this.#connections) if (connection.lane === lane) connection.flow()
  }

  /** Every connection of this lane breaks; what was written on it and waits here is lost. */
  cut(lane: Lane): void {
    for (const connection of [...this.#connections]) {
      if (connection.lane === lane) connection.destroy()
    }
  }

  isStopped(lane: Lane | undefined): boolean {
    return lane !== undefined && this.#stopped.has(lane)
  }

  listen(...args: Parameters<Transport['listen']>): ReturnType<Transport['listen']> {
    return this.#inner.listen(...args)
  }

  connect(
    to: HostAndPort,
    handler: ConnectionHandler,
    options: Parameters<Transport['connect']>[2],
  ): Connection {
    const made = new TappedConnection(this, handler)
    const closed: ConnectionHandler['closed'] = (reason) => {
      this.#connections.delete(made)
      handler.closed(reason)
    }
    const watched: ConnectionHandler = {
      ...{ opened: () => handler.opened(), received: (bytes) => handler.received(bytes), closed },
      drained: () => handler.drained(),
      ready: () => handler.ready(),
    }
    made.inner = this.#inner.connect(to, watched, options)
    this.#connections.add(made)
    return made
  }
}

class TappedConnection implements Connection {
  inner: Connection | undefined
  lane: Lane | undefined
  readonly #tap: LaneTap
  readonly #handler: ConnectionHandler
  #held: Buffer[] = []

  constructor(tap: LaneTap, handler: ConnectionHandler) {
    this.#tap = tap
    this.#handler = handler
  }

  get peer(): string {
    return this.inner?.peer ?? ''
  }

  get isIdle(): boolean {
    return this.#held.length === 0 && (this.inner?.isIdle ?? true)
  }

  write(bytes: Buffer): boolean {
    this.lane ??= lanes[bytes[laneAt] ?? -1]
    if (this.lane !== undefined) this.#tap.written[this.lane] += bytes.length
    if (!this.#tap.isStopped(this.lane)) return this.inner?.write(bytes) ?? false
    this.#held.push(Buffer.from(bytes))
    return false
  }

  flow(): void {
    const held = this.#held
    this.#held = []
    if (held.length === 0) return
    // Otherwise it says so itself when it wants more.
    if (this.inner?.write(Buffer.concat(held)) === true) this.#handler.drained()
  }

  askForTurn(): void {
    this.inner?.askForTurn()
  }

  end(): void {
    this.inner?.end()
  }

  destroy(): void {
    this.#held = []
    this.inner?.destroy()
  }
}
