/**
 * A network in memory, for tests: bytes arrive later, cut and joined at drawn boundaries, in order per connection. Links
 * can be stalled and broken by address. With the same random and the same scheduler it does the same things.
 */
import type { Random } from '../../src/foundation/random.ts'
import {
  PortTaken,
  type CloseReason,
  type Connection,
  type ConnectionHandler,
  type HostAndPort,
  type Transport,
} from '../../src/remote/index.ts'

export interface MemoryNetworkOptions {
  readonly random: Random
  /** Calls later, in order. */
  readonly schedule: (callback: () => void) => void
  /** Bytes that one direction of a connection holds before `write` asks to wait. */
  readonly windowBytes?: number
}

type Accept = (connection: Connection) => ConnectionHandler

export class MemoryNetwork {
  readonly random: Random
  readonly schedule: (callback: () => void) => void
  readonly windowBytes: number
  readonly #listeners = new Map<string, Accept>()
  readonly #pipes = new Set<Pipe>()
  readonly #stalled = new Set<number>()
  #lastPort = 1_000

  constructor({ random, schedule, windowBytes = 16 * 1024 }: MemoryNetworkOptions) {
    this.random = random
    this.schedule = schedule
    this.windowBytes = windowBytes
  }

  /** The network as one node sees it. */
  readonly transport: Transport = {
    listen: async (at, accept) => {
      const port = at.port === 0 ? ++this.#lastPort : at.port
      const key = keyOf({ host: at.host, port })
      if (this.#listeners.has(key)) throw new PortTaken({ host: at.host, port }, false, undefined)
      this.#listeners.set(key, accept)
      return { port, close: async () => void this.#listeners.delete(key) }
    },
    connect: (to, handler) => this.#connect(to, handler),
  }

  /** Nothing arrives at this port until `flow`. */
  stall(port: number): void {
    this.#stalled.add(port)
  }

  flow(port: number): void {
    this.#stalled.delete(port)
    for (const pipe of this.#pipes) pipe.pump()
  }

  /** Every connection to this port breaks; what was under way is lost. */
  cut(port: number): void {
    for (const pipe of this.#pipes) if (pipe.port === port) pipe.near.reset()
  }

  isStalled(port: number): boolean {
    return this.#stalled.has(port)
  }

  forget(pipe: Pipe): void {
    this.#pipes.delete(pipe)
  }

  #connect(to: HostAndPort, handler: ConnectionHandler): Connection {
    const pipe = new Pipe(this, to.port)
    this.#pipes.add(pipe)
    pipe.near.handler = handler
    this.schedule(() => {
      if (pipe.near.isClosed) return
      const accept = this.#listeners.get(keyOf(to))
      if (accept === undefined) return pipe.near.close({ type: 'refused', detail: 'nobody there' })
      pipe.far.handler = accept(pipe.far)
      if (!pipe.near.isClosed) handler.opened()
      pipe.pump()
    })
    return pipe.near
  }
}

/** Both ends of one connection. */
class Pipe {
  readonly network: MemoryNetwork
  readonly port: number
  readonly near: End
  readonly far: End

  constructor(network: MemoryNetwork, port: number) {
    this.network = network
    this.port = port
    this.near = new End(this, 'near')
    this.far = new End(this, 'far')
  }

  pump(): void {
    this.near.pump()
    this.far.pump()
  }
}

class End implements Connection {
  readonly peer: string
  handler: ConnectionHandler | undefined
  isClosed = false
  readonly #pipe: Pipe
  readonly #side: 'near' | 'far'
  /** Written here, not yet arrived at the other end. */
  #held: Buffer = Buffer.alloc(0)
  #isPumping = false
  #wantsDrain = false
  #hasTurn = false
  #isEnding = false

  constructor(pipe: Pipe, side: 'near' | 'far') {
    this.#pipe = pipe
    this.#side = side
    this.peer = `memory:${pipe.port}`
  }

  get isIdle(): boolean {
    return true
  }

  get #other(): End {
    return this.#side === 'near' ? this.#pipe.far : this.#pipe.near
  }

  write(bytes: Buffer): boolean {
    if (this.isClosed || this.#isEnding) return false
    this.#held = Buffer.concat([this.#held, bytes])
    this.pump()
    this.#wantsDrain = this.#held.length > this.#pipe.network.windowBytes
    return !this.#wantsDrain
  }

  askForTurn(): void {
    if (this.#hasTurn) return
    this.#hasTurn = true
    this.#pipe.network.schedule(() => {
      this.#hasTurn = false
      if (!this.isClosed) this.handler?.ready()
    })
  }

  end(): void {
    this.#isEnding = true
    this.pump()
  }

  destroy(): void {
    this.close({ type: 'destroyed', detail: '' })
  }

  reset(): void {
    this.#other.close({ type: 'reset', detail: 'cut' })
    this.close({ type: 'reset', detail: 'cut' })
  }

  close(reason: CloseReason): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#held = Buffer.alloc(0)
    this.#pipe.network.forget(this.#pipe)
    this.#pipe.network.schedule(() => {
      this.handler?.closed(reason)
      this.#other.close({ type: 'ended', detail: '' })
    })
  }

  pump(): void {
    if (this.#isPumping || this.isClosed) return
    if (this.#held.length === 0 && !this.#isEnding) return
    this.#isPumping = true
    this.#pipe.network.schedule(() => this.#deliver())
  }

  #deliver(): void {
    this.#isPumping = false
    const { network, port } = this.#pipe
    if (this.isClosed || network.isStalled(port) || this.#other.handler === undefined) return
    if (this.#held.length === 0) return this.#isEnding ? this.destroy() : undefined
    // Mostly all of it, often a few bytes: both are what networks do.
    const isAll = network.random.below(2) === 0
    const count = isAll ? this.#held.length : 1 + network.random.below(this.#held.length)
    const chunk = Buffer.from(this.#held.subarray(0, count))
    this.#held = this.#held.subarray(count)
    this.#other.handler.received(chunk)
    if (this.#wantsDrain && this.#held.length === 0) {
      this.#wantsDrain = false
      this.handler?.drained()
    }
    this.pump()
  }
}

function keyOf({ host, port }: HostAndPort): string {
  return `${host}:${port}`
}
