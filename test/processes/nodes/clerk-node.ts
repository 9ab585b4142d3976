/** A whole node with one singleton on workers, which tells the test when it begins and ends, by a clock all processes share. */
import { type ActorRef, Behaviors } from '../../../src/actor/index.ts'
import type { ClusterSettings } from '../../../src/cluster/index.ts'
import { type SherdNode, startNode } from '../../../src/node/index.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'
import { Idle } from './counter.ts'
import { quickCluster, quickRemote, quickSharding } from './quick-settings.ts'
import { tellClusterEvents, type View, viewOf, type WantedView, whenViewIs } from './views.ts'

export interface ClerkNodeOptions {
  readonly seeds?: readonly string[]
  readonly roles?: readonly string[]
  readonly cluster?: Partial<ClusterSettings>
}

type Question =
  | { readonly type: 'Ask'; readonly number: number; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Stop' }

export class ClerkNode {
  readonly #node: SherdNode
  readonly #clerk: ActorRef<Question>

  static async start(options: Place & ClerkNodeOptions): Promise<ClerkNode> {
    const { name, port, folder, seeds = [], roles = [] } = options
    let clerk: ActorRef<Question> | undefined
    const node = await startNode({
      ...{ name: 'processes', port, seeds, roles, store: { folder }, entities: [Idle] },
      beforeJoin: ({ singletons, cluster }) => {
        tellClusterEvents(cluster, parent)
        clerk = singletons.start<Question>({
          name: 'clerk',
          role: 'worker',
          behavior: () => clerkOn(name),
          stopMessage: { type: 'Stop' },
        })
      },
      settings: {
        actor: { exitProcess: true },
        remote: quickRemote,
        cluster: { ...quickCluster, ...options.cluster },
        sharding: quickSharding,
      },
    })
    return new ClerkNode(node, clerk!)
  }

  private constructor(node: SherdNode, clerk: ActorRef<Question>) {
    this.#node = node
    this.#clerk = clerk
  }

  view(): View {
    return viewOf(this.#node.cluster)
  }

  whenViewIs(wanted: WantedView): Promise<View> {
    return whenViewIs(this.#node.cluster, wanted)
  }

  /** Who has answered. */
  ask(number: number): Promise<string> {
    const question = (replyTo: ActorRef<string>): Question => ({ type: 'Ask', number, replyTo })
    return this.#clerk.ask(question, { timeout: '30s' })
  }

  leave(): void {
    this.#node.cluster.leave()
  }
}

function clerkOn(name: string) {
  return Behaviors.setup<Question>(() => {
    tell('Registered')
    return Behaviors.receiveMessage<Question>((message) => {
      if (message.type === 'Stop') {
        tell('ToldToStop')
        return Behaviors.stopped()
      }
      parent.tell({ type: 'Handled', number: message.number })
      message.replyTo.tell(name)
      return Behaviors.same
    }).receiveSignal({ PostStop: () => tell('Unregistered') })
  })
}

/** The clock of the machine: news of two processes may reach the test in another order than it happened. */
function tell(type: string): void {
  parent.tell({ type, atUs: Number(process.hrtime.bigint() / 1_000n) })
}
