/** Whole nodes on TCP in one process, quick enough for tests: each an actor system with remoting and a cluster. */
import {
  type ClusterEvent,
  type ClusterSettings,
  defaultClusterSettings,
} from '../../src/cluster/index.ts'
import { Cluster } from '../../src/cluster/internals.ts'
import { clusterProtocol } from '../../src/cluster/cluster-wire.ts'
import type { Address, NodeId } from '../../src/foundation/node-id.ts'
import { type TestNode, type TestNodeOptions, TestNodes } from '../remote/nodes.ts'

export interface ClusterNode extends TestNode {
  readonly cluster: Cluster
  readonly id: NodeId
  readonly address: Address
  readonly events: readonly ClusterEvent[]
}

export interface ClusterNodeOptions extends TestNodeOptions {
  readonly roles?: readonly string[]
  readonly appVersion?: string
  readonly cluster?: Partial<ClusterSettings>
  readonly seeds?: readonly Address[]
}

/** Everything about ten times as fast as by default; pauses are forgiven for long, since all nodes share a thread. */
export const quickSettings: ClusterSettings = {
  ...defaultClusterSettings,
  tickIntervalMs: 25,
  gossipIntervalMs: 50,
  seedRetryIntervalMs: 50,
  seedTimeoutMs: 1_000,
  joinTimeoutMs: 1_000,
  heartbeatIntervalMs: 100,
  acceptableHeartbeatPauseMs: 2_000,
  phiDeviationMinMs: 10,
  phiDeviationMaxMs: 20,
  downedLingerMs: 400,
}

/** Only failing tests wait so long, however busy the machine. */
const patienceMs = 50_000

export class ClusterNodes {
  readonly #nodes = new TestNodes('tcp')
  readonly #alive = new Set<ClusterNode>()

  /** Forms or joins a cluster when there are seeds; `self` among them stands for the node's own address. */
  async start(options: ClusterNodeOptions = {}): Promise<ClusterNode> {
    const { roles = [], appVersion, cluster: settings, seeds, ...rest } = options
    const node = await this.#nodes.start(rest)
    const { system, remoting } = node
    const cluster = Cluster.start({
      system,
      remoting,
      roles,
      settings: { ...quickSettings, ...settings },
      ...(appVersion !== undefined && { appVersion }),
    })
    const events: ClusterEvent[] = []
    cluster.subscribe((event) => events.push(event))
    const { address } = remoting
    const whole: ClusterNode = { ...node, cluster, id: remoting.node, address, events }
    this.#alive.add(whole)
    if (seeds !== undefined) {
      cluster.joinSeeds(seeds.map((seed) => (seed === 'self' ? address : seed)))
    }
    return whole
  }

  /** A cluster of this many, the first one the seed of the others. */
  async cluster(size: number, options: ClusterNodeOptions = {}): Promise<ClusterNode[]> {
    const first = await this.start({ seeds: ['self'], ...options })
    const nodes = [first]
    while (nodes.length < size) {
      nodes.push(await this.start({ ...options, seeds: [first.address] }))
    }
    await until(nodes, `${size} members Up everywhere`, () => nodes.every((n) => areUp(n, nodes)))
    return nodes
  }

  /** A node that speaks to others without being in a cluster itself. */
  async stranger(options: TestNodeOptions = {}): Promise<Stranger> {
    return new Stranger(await this.#nodes.start(options))
  }

  /** As kill -9 would: nobody is told, and the port is free. */
  async kill(node: ClusterNode): Promise<void> {
    this.#alive.delete(node)
    await node.remoting.stop()
    await node.system.shutdown.run(
      { type: 'actor-system-terminate' },
      { fromPhase: 'actor-system-terminate' },
    )
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#alive].map((node) => this.kill(node)))
    await this.#nodes.stop()
  }
}

export class Stranger {
  readonly #node: TestNode
  readonly #heard: unknown[] = []
  #wake: () => void = () => undefined

  constructor(node: TestNode) {
    this.#node = node
    const tell = (message: unknown): void => {
      this.#heard.push((message as readonly unknown[])[1])
      this.#wake()
    }
    node.remoting.serve('/system/cluster', () => ({ tell }))
  }

  get id(): NodeId {
    return this.#node.remoting.node
  }

  get address(): Address {
    return this.#node.remoting.address
  }

  /** Sends a message to the cluster of that node, signed by itself unless the message says otherwise. */
  say(
    { address }: ClusterNode,
    message: { readonly type: string; readonly [field: string]: unknown },
  ): void {
    const isOfType = (name: string): boolean => name.startsWith(`cluster.${message.type}@`)
    const wireName = clusterProtocol.wireNames.find(isOfType) ?? `cluster.${message.type}@1`
    const packed = [wireName, { from: this.id, ...message }]
    this.#node.remoting.refAt(address, '/system/cluster').tell(packed)
  }

  /** The next message that comes. */
  async hears(): Promise<unknown> {
    while (this.#heard.length === 0) {
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    return this.#heard.shift()
  }
}

/** Whether this node sees exactly these members, all Up, and everybody reachable. */
export function areUp(viewer: ClusterNode, nodes: readonly ClusterNode[]): boolean {
  const { members, unreachable } = viewer.cluster.state
  const ids = nodes.map(({ id }) => id).sort()
  const isUp = members.every(({ status }) => status === 'Up')
  const seen = members.map(({ node }) => node).sort()
  return isUp && unreachable.size === 0 && seen.join() === ids.join()
}

/** Waits until the condition holds; it is looked at with every event of these nodes. Fails by name. */
export function until(
  nodes: readonly ClusterNode[],
  what: string,
  isTrue: () => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const ends: (() => void)[] = []
    const finish = (error?: Error): void => {
      for (const end of ends.splice(0)) end()
      if (error === undefined) resolve()
      else reject(error)
    }
    const look = (): void => {
      if (isTrue()) finish()
    }
    const patience = setTimeout(() => {
      const views = nodes.map(({ id, cluster }) => `${id} sees ${show(cluster)}`)
      finish(new Error(`not within ${patienceMs} ms: ${what}\n${views.join('\n')}`))
    }, patienceMs)
    ends.push(() => clearTimeout(patience))
    for (const { cluster } of nodes) ends.push(cluster.subscribe(look))
    look()
  })
}

/** What a node was told about one member, in order. */
export function story(viewer: ClusterNode, subject: NodeId): string[] {
  return viewer.events.flatMap((event) => {
    if (!('member' in event) || event.member.node !== subject) return []
    return event.type === 'MemberRemoved'
      ? [`MemberRemoved(${event.previousStatus})`]
      : [event.type]
  })
}

function show({ state }: Cluster): string {
  const cutOff = (node: NodeId) => (state.unreachable.has(node) ? ' unreachable' : '')
  return state.members.map(({ node, status }) => `${node} ${status}${cutOff(node)}`).join(', ')
}
