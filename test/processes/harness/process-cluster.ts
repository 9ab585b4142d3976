/**
 * The nodes of one test, each a process: started, hurt, started again on the same port, and all gone at the end. Cleans
 * up after itself however the test ends; only what it started itself is ever ended.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { NodeProcess } from './node-process.ts'
import { ProxiedNetwork } from './proxied-network.ts'

/** What every kind of node is told about where it lives. */
export interface Place {
  readonly name: string
  readonly port: number
  /** The port that others are to use, when a proxy stands between. */
  readonly advertisedPort?: number
  /** Shared by all nodes of the cluster. */
  readonly folder: string
}

export interface ClusterOptions {
  /** Puts a proxy before every node, so that links can be stalled and cut. */
  readonly hasProxies?: boolean
}

export interface Launched<N> {
  readonly node: NodeProcess<N>
  readonly started: Promise<unknown>
}

interface Seat {
  readonly port: number
  readonly advertisedPort?: number
}

export class ProcessCluster<N, O extends object = object> {
  /** For the stores of the nodes; removed at the end. */
  readonly folder: string
  /** Between the nodes, when the cluster has it: links can be stalled and cut one by one. */
  readonly network: ProxiedNetwork | undefined
  readonly #kind: string
  readonly #seats = new Map<string, Seat>()
  readonly #processes: NodeProcess<N>[] = []
  readonly #cleanUpNow = (): void => this.#endNow()
  readonly #signalled = (signal: NodeJS.Signals): void => {
    this.#endNow()
    this.#unhook()
    process.kill(process.pid, signal)
  }

  constructor(kind: string, { hasProxies = false }: ClusterOptions = {}) {
    this.#kind = kind
    this.folder = mkdtempSync(join(tmpdir(), 'sherd-processes-'))
    this.network = hasProxies ? new ProxiedNetwork() : undefined
    process.on('exit', this.#cleanUpNow)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, this.#signalled)
  }

  /** Starts a node, on the port it had before if there was one of this name. Resolves when its `start` has answered. */
  async start(name: string, options: O): Promise<NodeProcess<N>> {
    const { node, started } = await this.launch(name, options)
    await started
    return node
  }

  /** The same without waiting: for nodes whose start takes long, or may be refused. */
  async launch(name: string, options: O): Promise<Launched<N>> {
    const { port, advertisedPort } = await this.#seatOf(name)
    const node = new NodeProcess<N>(name, this.#kind)
    this.#processes.push(node)
    const place: Place = {
      name,
      port,
      folder: this.folder,
      ...(advertisedPort !== undefined && { advertisedPort }),
    }
    return { node, started: node.start({ ...place, ...options }) }
  }

  /** The address under which others know the node of this name, also before it was started. */
  async addressOf(name: string): Promise<string> {
    const { port, advertisedPort = port } = await this.#seatOf(name)
    return `127.0.0.1:${advertisedPort}`
  }

  /** What all nodes have printed. */
  transcript(): string {
    return this.#processes.map((node) => node.transcript).join('\n')
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#processes.map((node) => node.kill()))
    await this.network?.close()
    this.#unhook()
    rmSync(this.folder, { recursive: true, force: true })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }

  async #seatOf(name: string): Promise<Seat> {
    const known = this.#seats.get(name)
    if (known !== undefined) return known
    const port = await freePort()
    const advertisedPort = await this.network?.add(name, port)
    const seat: Seat = { port, ...(advertisedPort !== undefined && { advertisedPort }) }
    this.#seats.set(name, seat)
    return seat
  }

  /** Without waiting: for the end of this process. */
  #endNow(): void {
    for (const node of this.#processes) if (node.isRunning) process.kill(node.pid, 'SIGKILL')
    rmSync(this.folder, { recursive: true, force: true })
  }

  #unhook(): void {
    process.off('exit', this.#cleanUpNow)
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.off(signal, this.#signalled)
  }
}
