/**
 * A whole node with two singletons on workers: one that tells the test when it begins and ends, by a clock all processes share,
 * and a list that is stored.
 */
import { type ActorRef, Behaviors } from '../../../src/actor/index.ts'
import type { ClusterSettings } from '../../../src/cluster/index.ts'
import { type SherdNode, startNode } from '../../../src/node/index.ts'
import {
  effectsFor,
  EventSourcedBehavior,
  type Journal,
  LmdbJournal,
} from '../../../src/persistence/index.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'
import { Idle } from './counter.ts'
import { quickCluster, quickRemote, quickSharding } from './quick-settings.ts'
import { tellClusterEvents, type View, viewOf, type WantedView, whenViewIs } from './views.ts'

export interface ClerkNodeOptions {
  readonly seeds?: readonly string[]
  readonly roles?: readonly string[]
  readonly cluster?: Partial<ClusterSettings>
  /** Whether it may run the list; others only call it. */
  readonly hasList?: boolean
}

type ToList =
  | { readonly type: 'Add'; readonly item: string; readonly replyTo: ActorRef<'Done'> }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<string> }

const effect = effectsFor<string, readonly string[]>()

const list = (journal: Journal) =>
  EventSourcedBehavior<ToList, string, readonly string[]>({
    ...{ persistenceId: 'Singleton|list', emptyState: [], journal },
    eventHandler: (items, item) => [...items, item],
    commandHandler: (items, command) =>
      command.type === 'Get'
        ? effect.reply(command.replyTo, items.join('|'))
        : effect.persist([command.item]).thenReply(command.replyTo, () => 'Done' as const),
  })

type Question =
  | { readonly type: 'Ask'; readonly number: number; readonly replyTo: ActorRef<string> }
  | { readonly type: 'Stop' }

export class ClerkNode {
  readonly #node: SherdNode
  readonly #clerk: ActorRef<Question>

  static async start(options: Place & ClerkNodeOptions): Promise<ClerkNode> {
    const { name, port, folder, seeds = [], roles = [], hasList = false } = options
    let clerk: ActorRef<Question> | undefined
    let journal: Journal | undefined
    const node = await startNode({
      ...{ name: 'processes', port, seeds, roles, entities: [Idle] },
      // Closed by the node, and used by the list as well.
      store: async ({ timers, clock, logger }) =>
        (journal = await LmdbJournal.open({ folder, timers, clock, logger })),
      beforeJoin: ({ singletons, cluster }) => {
        tellClusterEvents(cluster, parent)
        clerk = singletons.start<Question>({
          name: 'clerk',
          role: 'worker',
          behavior: () => clerkOn(name),
          stopMessage: { type: 'Stop' },
        })
        if (!hasList) return
        const behavior = () => list(journal!)
        singletons.start<ToList>({ name: 'list', role: 'worker', behavior })
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

  /** Who has answered in that data center. */
  askIn(dataCenter: string, number: number): Promise<string> {
    const far = this.#node.singletons.proxy<Question>('clerk', { role: 'worker', dataCenter })
    return far.ask((replyTo: ActorRef<string>) => ({ type: 'Ask', number, replyTo }), {
      timeout: '30s',
    })
  }

  /** To the list of that data center. */
  add(dataCenter: string, item: string): Promise<'Done'> {
    const add = (replyTo: ActorRef<'Done'>): ToList => ({ type: 'Add', item, replyTo })
    return this.#list(dataCenter).ask(add, { timeout: '30s' })
  }

  items(dataCenter: string): Promise<string> {
    const get = (replyTo: ActorRef<string>): ToList => ({ type: 'Get', replyTo })
    return this.#list(dataCenter).ask(get, { timeout: '30s' })
  }

  #list(dataCenter: string): ActorRef<ToList> {
    return this.#node.singletons.proxy<ToList>('list', { role: 'worker', dataCenter })
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
