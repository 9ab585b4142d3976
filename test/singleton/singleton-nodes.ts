/** Nodes of a real cluster with singletons on them, in one process over TCP, and a singleton that says what happens to it. */
import { type ActorRef, type Behavior, Behaviors } from '../../src/actor/index.ts'
import type { ClusterEvent, ClusterSettings } from '../../src/cluster/index.ts'
import { Cluster } from '../../src/cluster/internals.ts'
import { Singletons } from '../../src/singleton/internals.ts'
import { type TestNode, TestNodes } from '../remote/nodes.ts'

export interface SingletonNode extends TestNode {
  readonly label: string
  readonly cluster: Cluster
  readonly singletons: Singletons
}

/** Everything that happened on all nodes, in order, with waits for what is to come. */
class Story {
  readonly lines: string[] = []
  #waiting: { readonly line: string; readonly found: () => void }[] = []

  add(line: string): void {
    this.lines.push(line)
    this.#waiting = this.#waiting.filter((wait) => {
      if (wait.line === line) wait.found()
      return wait.line !== line
    })
  }

  /** Resolves when the line is there; fails by name when it does not come. */
  has(line: string, withinMs = 45_000): Promise<void> {
    if (this.lines.includes(line)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const patience = setTimeout(() => {
        const told = this.lines.join('\n  ')
        reject(new Error(`"${line}" did not happen within ${withinMs} ms, but\n  ${told}`))
      }, withinMs)
      const found = (): void => {
        clearTimeout(patience)
        resolve()
      }
      this.#waiting.push({ line, found })
    })
  }

  /** The order in which these lines came; all of them must have come. */
  order(...lines: readonly string[]): string[] {
    const found = lines.map((line) => ({ line, at: this.lines.indexOf(line) }))
    return found
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)
      .map(({ line }) => line)
  }
}

export type Ping =
  | { readonly type: 'Ping'; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Stop' }
  | { readonly type: 'Fail' }

const quickCluster = { tickIntervalMs: 25, gossipIntervalMs: 100, seedRetryIntervalMs: 50 }

export interface StartOptions {
  /** Whom to join; by default the node forms a cluster of its own. */
  readonly seed?: TestNode
  readonly port?: number
  readonly roles?: readonly string[]
  readonly clusterSettings?: Partial<ClusterSettings>
}

export class SingletonNodes {
  readonly story = new Story()
  readonly #nodes = new TestNodes('tcp')

  async start(label: string, options: StartOptions = {}): Promise<SingletonNode> {
    const { seed, port = 0, roles = [], clusterSettings = quickCluster } = options
    const node = await this.#nodes.start({ port })
    const { system, remoting } = node
    const cluster = Cluster.start({ system, remoting, roles, settings: clusterSettings })
    const settings = { retryIntervalMs: 100, restartMinMs: 10 }
    const singletons = new Singletons({ system, remoting, cluster, settings })
    cluster.subscribe((event) => this.#hear(label, cluster, event))
    cluster.join((seed ?? node).remoting.address)
    await cluster.whenUp
    return { ...node, label, cluster, singletons }
  }

  /** Starts the singleton there; it answers pings with the node it lives on. */
  startPonger(node: SingletonNode, role?: string): ActorRef<Ping> {
    const proxy = node.singletons.start<Ping>({
      name: 'ponger',
      role,
      behavior: () => this.ponger(node.label),
      stopMessage: { type: 'Stop' },
    })
    void node.system.whenStopped(proxy).then(() => this.story.add(`${node.label}: proxy ended`))
    return proxy
  }

  ponger(label: string): Behavior<Ping> {
    return Behaviors.setup<Ping>(() => {
      this.story.add(`${label}: started`)
      return Behaviors.receiveMessage<Ping>((message) => {
        if (message.type === 'Fail') throw new Error('as asked')
        if (message.type === 'Ping') return message.replyTo.tell(label)
        this.story.add(`${label}: stop message`)
        return Behaviors.stopped()
      }).receiveSignal({ PostStop: () => this.story.add(`${label}: post-stop`) })
    })
  }

  /** As kill -9 would: nobody is told, and the port is free. */
  async kill({ remoting, system }: SingletonNode): Promise<void> {
    await remoting.stop()
    const reason = { type: 'actor-system-terminate' } as const
    await system.shutdown.run(reason, { fromPhase: 'actor-system-terminate' })
  }

  async stop(): Promise<void> {
    await this.#nodes.stop()
  }

  #hear(label: string, cluster: Cluster, event: ClusterEvent): void {
    if (event.type !== 'MemberRemoved') return
    const isOwn = event.member.node === cluster.self
    this.story.add(isOwn ? `${label}: removed` : `${label}: sees ${event.member.node} removed`)
  }
}

export function ping(proxy: ActorRef<Ping>, withinMs = 45_000): Promise<string> {
  return proxy.ask<string>((replyTo) => ({ type: 'Ping', replyTo }), { timeout: withinMs })
}
