/** What a user says about a kind of entity, and what the runtime keeps of it. */
import type { Behavior, MessageHandler } from '../actor/index.ts'
import type { LeaseImplementation, LeaseSettings } from '../lease/index.ts'
import type { ShardAllocationStrategy } from './allocation/shard-allocation-strategy.ts'
import type { EntityContext } from './entity-context.ts'
import type { EntityTypeKey } from './entity-type-key.ts'
import type { ExtractorFunctions, MessageExtractor, ShardingEnvelope } from './message-extractor.ts'
import type { Passivation } from './passivation/passivation-options.ts'
import type { ShardingSettings } from './sharding-settings.ts'

/** Of the leases of the shards of one type. */
export interface ShardLeaseOptions {
  /** What makes them; leases in the registers of the node's store when not given. */
  readonly implementation?: LeaseImplementation
  readonly settings?: Partial<LeaseSettings>
}

interface Hosting<Message> {
  /** Makes the behavior of one entity, each time it starts. */
  readonly behavior: (
    context: EntityContext<Message>,
  ) => Behavior<Message> | MessageHandler<Message>
  /** Sent to an entity that shall stop, behind all its messages; it must stop itself then. Without it: `PoisonPill`. */
  readonly stopMessage?: Message
  /**
   * Entities that were started are started again wherever their shard lives next, without a message: after a move, a crash,
   * and when all nodes were stopped. One that is passivated is forgotten; so none is for being idle, unless this definition
   * itself sets `passivateIdleAfterMs`. Every start is stored first, which costs a write per batch. The same on every node.
   */
  readonly rememberEntities?: boolean
  /**
   * A shard lives only while this node holds its lease, `<system>-shard-<type>-<shard>`: a second guard against two homes,
   * where nodes could be wrong about each other. `true`, or what the leases are made of. The same on every node.
   */
  readonly lease?: boolean | ShardLeaseOptions
  /** Where shards go; `LeastShardAllocationStrategy` when not given. */
  readonly allocationStrategy?: ShardAllocationStrategy
  /** When entities rest until their next message: after an idle time, or so that no more than so many are active here. */
  readonly passivation?: Passivation
}

interface Routing<Incoming, Message> extends ExtractorFunctions<Incoming, Message> {
  /**
   * How a message names its entity, and an entity its shard, in place of the functions above; without both, envelopes
   * are taken and ids are placed by their stable hash. Equal on every node.
   */
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
  readonly rememberEntities: boolean
  /** undefined without leases. */
  readonly lease: ShardLeaseOptions | undefined
  readonly allocationStrategy: ShardAllocationStrategy | undefined
  readonly extractor: MessageExtractor<never, unknown> | undefined
  readonly functions: ExtractorFunctions<never, unknown> | undefined
  readonly role: string | undefined
  readonly coordinatorRole: string | undefined
  readonly settings: Partial<ShardingSettings> | undefined
  readonly passivation: Passivation | undefined
}

/** What is not the same in two definitions of one type, by name. */
export function differencesBetween(a: AnyDefinition, b: AnyDefinition): string[] {
  const fields = [
    ...(['behavior', 'stopMessage', 'allocationStrategy', 'extractor'] as const),
    ...(['role', 'coordinatorRole'] as const),
  ]
  const differences: string[] = fields.filter((field) => a[field] !== b[field])
  for (const name of ['extractEntityId', 'extractShardId', 'extractorId'] as const) {
    if (a.functions?.[name] !== b.functions?.[name]) differences.push(name)
  }
  if (a.rememberEntities !== b.rememberEntities) differences.push('rememberEntities')
  if ((a.lease === undefined) !== (b.lease === undefined)) differences.push('lease')
  const names = new Set([...Object.keys(a.settings ?? {}), ...Object.keys(b.settings ?? {})])
  for (const name of names as Set<keyof ShardingSettings>) {
    if (a.settings?.[name] !== b.settings?.[name]) differences.push(`settings.${name}`)
  }
  if (JSON.stringify(a.passivation) !== JSON.stringify(b.passivation))
    differences.push('passivation')
  return differences
}
