/**
 * The nodes of one test, each a process: started, hurt, started again on the same port, and all gone at the end. Cleans
 * up after itself however the test ends; only what it started itself is ever ended.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atTheEnd } from './at-the-end.ts'
import { freePort } from './free-port.ts'
import type { HostNetwork } from './hosts/host-network.ts'
import { NodeProcess } from './node-process.ts'
import { ProxiedNetwork } from './proxied-network.ts'

/** What every kind of node is told about where it lives. */
export interface Place {
  readonly name: string
  /** Loopback when not given. */
  readonly host?: string
  readonly port: number
  /** The port that others are to use, when a proxy stands between. */
  readonly advertisedPort?: number
  /** Shared by all nodes of the cluster. */
  readonly folder: string
}

export interface ClusterOptions {
  /** Puts a proxy before every node, so that links can be stalled and cut. */
  readonly hasProxies?: boolean
  /** Where each node has a host of its own, in place of loopback. */
  readonly hosts?: HostNetwork | undefined
}

export interface Launched<N> {
  readonly node: NodeProcess<N>
  readonly started: Promise<unknown>
}

type Seat = Pick<Place, 'host' | 'port' | 'advertisedPort'> & {
  /** What stands before its command. */
  readonly enter?: readonly string[]
}

export class ProcessCluster<N, O extends object = object> {
  /** For the stores of the nodes; removed at the end. */
  readonly folder: string
  /** Between the nodes, when the cluster has it: links can be stalled and cut one by one. */
  readonly network: ProxiedNetwork | undefined
  readonly #kind: string
  readonly #seats = new Map<string, Seat>()
  readonly #processes: NodeProcess<N>[] = []
  readonly #hosts: HostNetwork | undefined
  readonly #forget: () => void
  #isDisposed = false

  constructor(kind: string, { hasProxies = false, hosts }: ClusterOptions = {}) {
    this.#kind = kind
    this.#hosts = hosts
    this.folder = mkdtempSync(join(tmpdir(), 'sherd-processes-'))
    this.network = hasProxies ? new ProxiedNetwork() : undefined
    this.#forget = atTheEnd(() => this.#endNow())
  }

  /** Starts a node, on the port it had before if there was one of this name. Resolves when its `start` has answered. */
  async start(name: string, options: O): Promise<NodeProcess<N>> {
    const { node, started } = await this.launch(name, options)
    await started
    return node
  }

  /** The same without waiting: for nodes whose start takes long, or may be refused. */
  async launch(name: string, options: O): Promise<Launched<N>> {
    const { enter, ...seat } = await this.#seatOf(name)
    // Whoever starts several at once, or again what has ended, may not know yet.
    if (this.#isDisposed) throw new Error(`${name} is not started: the run is over`)
    const node = new NodeProcess<N>(name, this.#kind, enter)
    this.#processes.push(node)
    const place: Place = { name, folder: this.folder, ...seat }
    return { node, started: node.start({ ...place, ...options }) }
  }

  /** The address under which others know the node of this name, also before it was started. */
  async addressOf(name: string): Promise<string> {
    const { host = '127.0.0.1', port, advertisedPort = port } = await this.#seatOf(name)
    return `${host}:${advertisedPort}`
  }

  /** What all nodes have printed. */
  transcript(): string {
    return this.#processes.map((node) => node.transcript).join('\n')
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true
    await Promise.all(this.#processes.map((node) => node.kill()))
    await this.network?.close()
    this.#forget()
    rmSync(this.folder, { recursive: true, force: true })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }

  async #seatOf(name: string): Promise<Seat> {
    // An address may change.
    if (this.#hosts !== undefined) return this.#hosts.seatOf(name)
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
}
