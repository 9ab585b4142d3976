/**
 * A node that is a member of a cluster, with one singleton and nothing more: what tests of membership between processes
 * are made of.
 */
import { type ActorRef, ActorSystem, Behaviors } from '../../../src/actor/index.ts'
import type { ClusterSettings } from '../../../src/cluster/index.ts'
import { Cluster } from '../../../src/cluster/internals.ts'
import { tcpTransport } from '../../../src/remote/index.ts'
import { Remoting } from '../../../src/remote/internals.ts'
import { Singletons } from '../../../src/singleton/internals.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'
import { Watcher } from './watcher.ts'
import { quickCluster, quickRemote } from './quick-settings.ts'
import { tellClusterEvents, type View, viewOf, type WantedView, whenViewIs } from './views.ts'

export interface MemberNodeOptions {
  /** Left out: the node waits for `join`. */
  readonly seeds?: readonly string[]
  readonly roles?: readonly string[]
  readonly cluster?: Partial<ClusterSettings>
}

/** The singleton, which says where it lives. */
interface WhereAreYou {
  readonly replyTo: ActorRef<string>
}

export class MemberNode {
  readonly #cluster: Cluster
  readonly #greeter: ActorRef<WhereAreYou>
  readonly #watcher: Watcher

  static async start(options: Place & MemberNodeOptions): Promise<MemberNode> {
    const { port, advertisedPort, seeds, roles = [] } = options
    const system = new ActorSystem('proc', { settings: { exitProcess: true } })
    const remoting = await Remoting.start({
      system,
      transport: tcpTransport,
      clusterName: 'processes',
      bind: { host: '127.0.0.1', port },
      ...(advertisedPort !== undefined && { advertised: { port: advertisedPort } }),
      settings: quickRemote,
    })
    const settings = { ...quickCluster, ...options.cluster }
    const cluster = Cluster.start({ system, remoting, roles, settings })
    tellClusterEvents(cluster, parent)
    if (seeds !== undefined) cluster.joinSeeds(seeds)
    // Who never gets in says so; that it ends is what tests look at.
    cluster.whenUp.catch((error: unknown) => console.error(String(error)))
    const singletons = new Singletons({ system, remoting, cluster })
    const greeter = singletons.start<WhereAreYou>({
      name: 'greeter',
      behavior: () => Behaviors.receiveMessage(({ replyTo }) => replyTo.tell(cluster.self)),
    })
    return new MemberNode(cluster, greeter, new Watcher(system, remoting))
  }

  private constructor(cluster: Cluster, greeter: ActorRef<WhereAreYou>, watcher: Watcher) {
    this.#cluster = cluster
    this.#greeter = greeter
    this.#watcher = watcher
  }

  view(): View {
    return viewOf(this.#cluster)
  }

  whenViewIs(wanted: WantedView): Promise<View> {
    return whenViewIs(this.#cluster, wanted)
  }

  join(address: string): void {
    this.#cluster.join(address)
  }

  leave(node?: string): void {
    this.#cluster.leave(node)
  }

  down(node: string): void {
    this.#cluster.down(node)
  }

  /** Watches the speaker on that node; what it says and that it is gone is told to the test. */
  watch(node: string): void {
    this.#watcher.watch(node)
  }

  /** The speaker here says so many words to the watcher on that node, and this node leaves. */
  speakAndLeave(node: string, words: number): void {
    this.#watcher.speak(node, words)
    this.#cluster.leave()
  }

  /** The node on which the singleton lives, by its own word. */
  greet(): Promise<string> {
    return this.#greeter.ask((replyTo: ActorRef<string>) => ({ replyTo }), { timeout: '5s' })
  }
}
