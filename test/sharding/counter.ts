/** A counter that remembers: what most scenarios talk to. Its shard is its number, unless the type says otherwise. */
import type { ActorRef } from '../../src/actor/index.ts'
import { effectsFor, EventSourcedBehavior, persistenceIdOf } from '../../src/persistence/index.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import {
  type EntityContext,
  type KeyedDefinition,
  type EntityRef,
  EntityTypeKey,
  type MessageExtractor,
  type ShardingEnvelope,
} from '../../src/sharding/index.ts'
import type { ShardingNode } from './scene.ts'

export type ToCounter =
  | { readonly type: 'Add'; readonly by: number }
  | { readonly type: 'Get'; readonly replyTo: ActorRef<Counted> }
  /** Asks its shard to be stopped. */
  | { readonly type: 'Rest' }
  | { readonly type: 'Stop' }

export interface Counted {
  readonly count: number
  readonly node: NodeId
  readonly path: string
  /** Tells the lives of one counter apart. */
  readonly life: number
}

export const counters = new EntityTypeKey<ToCounter>('Counter')

/** `7` and `x7` are in shard 7 of 12. */
export class ByNumber implements MessageExtractor<ShardingEnvelope<ToCounter>, ToCounter> {
  readonly #numberOfShards: number

  constructor(numberOfShards: number) {
    this.#numberOfShards = numberOfShards
  }

  entityId({ entityId }: ShardingEnvelope<ToCounter>): string {
    return entityId
  }

  shardId(entityId: string): number {
    return Number(entityId.replaceAll(/\D/g, '')) % this.#numberOfShards
  }

  unwrapMessage({ message }: ShardingEnvelope<ToCounter>): ToCounter {
    return message
  }
}

const effect = effectsFor<number, number>()

/** Starts counters on that node. */
export function hostCounters(
  node: ShardingNode,
  options: Partial<KeyedDefinition<ToCounter>> = {},
): void {
  let lives = 0
  node.sharding.init<ToCounter>({
    key: counters,
    behavior: (context) => counter(node, context, ++lives),
    ...options,
  })
}

/** `ending` runs at the end of each life, and may take its time. */
export function counter(
  node: ShardingNode,
  entity: EntityContext<ToCounter>,
  life: number,
  ending: () => void | Promise<void> = () => undefined,
) {
  return EventSourcedBehavior<ToCounter, number, number>({
    persistenceId: persistenceIdOf('Counter', entity.entityId),
    emptyState: 0,
    journal: node.journal,
    signals: { PostStop: ending },
    eventHandler: (count, by) => count + by,
    commandHandler: (count, command, { actor }) => {
      switch (command.type) {
        case 'Add':
          return effect.persist([command.by])
        case 'Get': {
          const path = actor.path.withoutUid
          return effect.reply(command.replyTo, { count, node: node.id, path, life })
        }
        case 'Rest':
          entity.passivate()
          return effect.none()
        case 'Stop':
          return effect.stop()
        default:
          // Strangers may send anything.
          return effect.unhandled()
      }
    },
  })
}

export function counterOn(node: ShardingNode, entityId: string): EntityRef<ToCounter> {
  return node.sharding.entityRefFor(counters, entityId)
}

/** What a counter says, asked from that node. */
export function countOf(
  node: ShardingNode,
  entityId: string,
  timeout: `${number}s` = '20s',
): Promise<Counted> {
  return counterOn(node, entityId).ask<Counted>((replyTo) => ({ type: 'Get', replyTo }), {
    timeout,
  })
}

export function add(node: ShardingNode, entityId: string, ...amounts: readonly number[]): void {
  for (const by of amounts) counterOn(node, entityId).tell({ type: 'Add', by })
}

/** Asks again and again: what was under way to a node that is gone is lost. */
export async function answerOf(node: ShardingNode, id: string): Promise<Counted> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await countOf(node, id, '1s')
    } catch (error) {
      if (attempt === 30) throw error
    }
  }
}
