/**
 * A node with counters in memory, by tens: `40` is in shard 4. There are two types of them, of which one is remembered. They tell
 * the test when they start and stop.
 */
import { type ActorRef, Behaviors } from '../../../src/actor/index.ts'
import { type SherdNode, startNode } from '../../../src/node/index.ts'
import {
  type ClusterSharding,
  type EntityContext,
  EntityStarted,
  EntityStopped,
  EntityTypeKey,
  type ShardingEnvelope,
} from '../../../src/sharding/index.ts'
import { parent } from '../harness/control-server.ts'
import type { Place } from '../harness/process-cluster.ts'
import { quickCluster, quickRemote, quickSharding } from './quick-settings.ts'
import { tellClusterEvents, type View, viewOf, type WantedView, whenViewIs } from './views.ts'

export interface TensNodeOptions {
  readonly seeds: readonly string[]
  /** The address of a PostgreSQL database in the place of the folder of the cluster. */
  readonly postgres?: `postgres://${string}`
}

type ToCounter =
  | { readonly type: 'Add'; readonly by: number }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<number> }
  | { readonly type: 'Rest' }

const remembered = new EntityTypeKey<ToCounter>('Remembered')
const forgotten = new EntityTypeKey<ToCounter>('Forgotten')
const keys = { remembered, forgotten }
export type Kind = keyof typeof keys

const byTens = {
  entityId: ({ entityId }: ShardingEnvelope<ToCounter>) => entityId,
  shardId: (entityId: string) => Math.floor(Number(entityId) / 10),
  unwrapMessage: ({ message }: ShardingEnvelope<ToCounter>) => message,
}

function counter(entity: EntityContext<ToCounter>) {
  let count = 0
  return Behaviors.receiveMessage<ToCounter>((message) => {
    if (message.type === 'Add') count += message.by
    else if (message.type === 'Get') message.replyTo.tell(count)
    else entity.passivate()
    return Behaviors.same
  })
}

function host(sharding: ClusterSharding, kind: Kind): void {
  sharding.init<ToCounter>({
    key: keys[kind],
    rememberEntities: kind === 'remembered',
    extractor: byTens,
    settings: { numberOfShards: 10, shardFailureBackoffMs: 3_000, rebalanceIntervalMs: 3_600_000 },
    behavior: counter,
  })
}

export class TensNode {
  readonly #node: SherdNode

  static async start(options: Place & TensNodeOptions): Promise<TensNode> {
    const { port, folder, seeds, postgres } = options
    const node = await startNode({
      ...{ name: 'processes', port, seeds, store: postgres ?? { folder } },
      beforeJoin: ({ sharding, system }) => {
        const tell = ({ type, entityType, entityId }: EntityStarted | EntityStopped): void =>
          parent.tell({ type, entityType, entityId })
        system.eventStream.subscribe(EntityStarted, tell)
        system.eventStream.subscribe(EntityStopped, tell)
        host(sharding, 'remembered')
        host(sharding, 'forgotten')
      },
      settings: {
        actor: { exitProcess: true },
        ...{ remote: quickRemote, cluster: quickCluster, sharding: quickSharding },
      },
    })
    tellClusterEvents(node.cluster, parent)
    return new TensNode(node)
  }

  private constructor(node: SherdNode) {
    this.#node = node
  }

  /** Without waiting for anything. */
  add(kind: Kind, id: string, by: number): void {
    this.#node.sharding.entityRefFor(keys[kind], id).tell({ type: 'Add', by })
  }

  get(kind: Kind, id: string): Promise<number> {
    const ask = (replyTo: ActorRef<number>) => ({ type: 'Get', replyTo }) as const
    return this.#node.sharding.entityRefFor(keys[kind], id).ask(ask, { timeout: '25s' })
  }

  /** Asks it to rest until its next message. */
  rest(kind: Kind, id: string): void {
    this.#node.sharding.entityRefFor(keys[kind], id).tell({ type: 'Rest' })
  }

  view(): View {
    return viewOf(this.#node.cluster)
  }

  whenViewIs(wanted: WantedView): Promise<View> {
    return whenViewIs(this.#node.cluster, wanted)
  }
}
