/** What a user says about a kind of entity, and what the runtime keeps of it. */
import type { Behavior, MessageHandler } from '../actor/index.ts'
import type { ShardAllocationStrategy } from './allocation/shard-allocation-strategy.ts'
import type { EntityContext } from './entity-context.ts'
import type { EntityTypeKey } from './entity-type-key.ts'
import type { MessageExtractor, ShardingEnvelope } from './message-extractor.ts'
import type { ShardingSettings } from './sharding-settings.ts'

interface Hosting<Message> {
  /** Makes the behavior of one entity, each time it starts. */
  readonly behavior: (
    context: EntityContext<Message>,
  ) => Behavior<Message> | MessageHandler<Message>
  /** Sent to an entity that shall stop, behind all its messages; it must stop itself then. Without it: `PoisonPill`. */
  readonly stopMessage?: Message
  /** Where shards go; `LeastShardAllocationStrategy` when not given. */
  readonly allocationStrategy?: ShardAllocationStrategy
}

interface Routing<Incoming, Message> {
  /** How a message names its entity, and an entity its shard; ids by stable hash when not given. Equal on every node. */
  readonly extractor?: MessageExtractor<Incoming, Message>
  /** Only nodes with this role host the entities; on others the type is a proxy. */
  readonly role?: string
  /**
   * Only nodes with this role run the coordinator of this type; those that host when not given. Such a node starts the type as
   * all others do, and hosts nothing unless it has `role` as well. The same on every node.
   */
  readonly coordinatorRole?: string
  /** What differs from the settings of the node. `numberOfShards` must be equal on every node. */
  readonly settings?: Partial<ShardingSettings>
}

/** For `init`: entities of a typed key. */
export interface KeyedDefinition<Message>
  extends Hosting<Message>, Routing<ShardingEnvelope<Message>, Message> {
  readonly key: EntityTypeKey<Message>
}

/** For `start`: entities by name, with messages that an extractor understands. */
export interface RegionDefinition<Incoming, Message>
  extends Hosting<Message>, Routing<Incoming, Message> {
  readonly entityType: string
  readonly extractor: MessageExtractor<Incoming, Message>
}

/** For `startProxy`. */
export interface ProxyDefinition<Incoming, Message> extends Routing<Incoming, Message> {
  readonly entityType: string
}

/** A definition without its types, checked, as the runtime keeps it. */
export interface AnyDefinition {
  readonly entityType: string
  /** undefined for a proxy. */
  readonly behavior: ((context: EntityContext<never>) => unknown) | undefined
  readonly stopMessage: unknown
  readonly allocationStrategy: ShardAllocationStrategy | undefined
  readonly extractor: MessageExtractor<never, unknown> | undefined
  readonly role: string | undefined
  readonly coordinatorRole: string | undefined
  readonly settings: Partial<ShardingSettings> | undefined
}

/** What is not the same in two definitions of one type, by name. */
export function differencesBetween(a: AnyDefinition, b: AnyDefinition): string[] {
  const fields = [
    ...(['behavior', 'stopMessage', 'allocationStrategy', 'extractor'] as const),
    ...(['role', 'coordinatorRole'] as const),
  ]
  const differences: string[] = fields.filter((field) => a[field] !== b[field])
  const names = new Set([...Object.keys(a.settings ?? {}), ...Object.keys(b.settings ?? {})])
  for (const name of names as Set<keyof ShardingSettings>) {
    if (a.settings?.[name] !== b.settings?.[name]) differences.push(`settings.${name}`)
  }
  return differences
}
