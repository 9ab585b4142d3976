/** How a node is described. Everything has a default: `startNode({ entities })` is a cluster of one with a store on disk. */
import type { ActorSettings } from '../actor/index.ts'
import type { ChosenClusterSettings, DiscoveryOptions } from '../cluster/index.ts'
import type { EntityDefinition, EntityType } from '../entity/index.ts'
import type { Chosen } from '../foundation/chosen.ts'
import type { Duration } from '../foundation/duration.ts'
import type { Environment } from '../foundation/environment.ts'
import type { Logger } from '../foundation/logger.ts'
import type {
  EventSourcedSettings,
  Journal,
  LmdbSettings,
  PostgresStore,
} from '../persistence/index.ts'
import type { Projection } from '../projection/index.ts'
import type {
  ChosenRemoteSettings,
  HostAndPort,
  Secret,
  TlsOptions,
  Transport,
} from '../remote/index.ts'
import type { ShardingSettings } from '../sharding/index.ts'
import type { SingletonSettings } from '../singleton/index.ts'
import type { SherdNode } from './sherd-node.ts'

/** Any entity type with its implementation. */
export type HostedEntity = EntityDefinition<unknown, object, unknown>

/** Connects, checks what is there and learns its `storeId` before it resolves. What it rejects with, `startNode` does. */
export type OpenStore = (environment: Environment) => Promise<Journal>

/** What is undefined is as if it were not given: it may come straight from an environment variable. */
export interface NodeOptions {
  /** What lives here. A type with a `role` that this node does not have is only called from here. */
  readonly entities?: readonly HostedEntity[] | undefined
  /** What is only called from here and lives on other nodes: definitions, or types made by `entityType`. */
  readonly proxies?: readonly EntityType<unknown>[] | undefined
  /**
   * What is made of stored events, by `defineProjection`. The nodes that have one divide the work on it; its entities may
   * live on others.
   */
  readonly projections?: readonly Projection[] | undefined
  /** The name of the cluster: nodes of other names are refused. `sherd` when not given. */
  readonly name?: string | undefined
  /** Where to listen, 127.0.0.1 when not given. Anything else needs `tls`, a `secret`, or both. */
  readonly host?: string | undefined
  /** 0, which is also the default, lets the system choose. */
  readonly port?: number | undefined
  /** How other nodes reach this one when that differs: behind a proxy, or when bound to 0.0.0.0. */
  readonly advertised?: Chosen<HostAndPort> | undefined
  /**
   * `host:port` of nodes to join, the same list in the same order on every node. Without any this node forms a cluster of
   * one, or does not start where one of its name lives on its store.
   */
  readonly seeds?: readonly string[] | undefined
  /**
   * Where nodes find each other when their addresses are not known beforehand, in place of `seeds`: a name of DNS, such as that of a
   * headless service of Kubernetes, or a function. The same on every node.
   */
  readonly discovery?: DiscoveryOptions | undefined
  /**
   * The same on every node, at least 16 characters. Never travels. While it is replaced a list: nodes prove themselves by the
   * first, and accept all.
   */
  readonly secret?: Secret | undefined
  /** Encrypts connections, between nodes that show each other certificates of the cluster. */
  readonly tls?: TlsOptions | undefined
  /** Allows to listen for other machines without `tls` or `secret`. Whoever reaches the port is in the cluster. */
  readonly insecure?: boolean | undefined
  /** What this node is for; entity types may ask for a role. */
  readonly roles?: readonly string[] | undefined
  /**
   * What your application calls its version, such as `1.2.3`: other nodes see it. `0.0.0` when not given. For a promise the node
   * waits before it starts anything; what it rejects with, `startNode` does.
   */
  readonly appVersion?: string | PromiseLike<string> | undefined
  /**
   * Where events are kept: a folder on a local disk that all nodes of the host share (`./sherd-data` when not given), a
   * PostgreSQL database that all nodes share (`npm install pg`), the memory of this process, or a journal of your own: one that
   * is open, which you close yourself, or a function that opens it for this node, which closes it when it stops.
   */
  readonly store?:
    | { readonly folder: string }
    | { readonly postgres: PostgresStore }
    | `postgres://${string}`
    | `postgresql://${string}`
    | 'memory'
    | Journal
    | OpenStore
    | undefined
  /** Words to the operator: pino, or any logger of its shape; the console when not given. Also `environment.logger`. */
  readonly logger?: Logger | undefined
  /**
   * How long a call waits for its answer when it does not say so itself: '5s' when not given. Also
   * `settings.actor.askTimeoutMs`, so it holds for questions to actors as well.
   */
  readonly callTimeout?: Duration | undefined
  /**
   * Lets commands see what their caller on this node has in `AsyncLocalStorage`, also when they waited. Costs about 60 ns
   * per call, a tenth of the shortest. Without it, and for calls from other nodes, commands see nobody's.
   */
  readonly keepCallerContext?: boolean | undefined
  readonly settings?: NodeSettings | undefined
  /** Time, chance, turns, log and process. What is left out is the real thing. */
  readonly environment?: Chosen<Environment> | undefined
  /** The network; TCP when not given, or TLS over it. */
  readonly transport?: Transport | undefined
  /**
   * Called when everything stands and before the node joins: whoever subscribes here misses nothing. A promise is waited
   * for. Where it throws or rejects the node does not start, and `startNode` rejects with that.
   */
  readonly beforeJoin?: ((node: SherdNode) => void | Promise<void>) | undefined
}

/** What can be tuned, by the part of a node that it concerns. */
export interface NodeSettings {
  readonly actor?: Partial<ActorSettings> | undefined
  readonly remote?: ChosenRemoteSettings | undefined
  readonly cluster?: ChosenClusterSettings | undefined
  readonly singleton?: Partial<SingletonSettings> | undefined
  readonly sharding?: Partial<ShardingSettings> | undefined
  readonly entity?: Partial<EventSourcedSettings> | undefined
  /**
   * Of the folder; PostgreSQL and `'memory'` heed what concerns them, too. A journal of your own has its settings from you.
   */
  readonly journal?: Partial<LmdbSettings> | undefined
  /** Entities that read their events at the same time, at most. More asks the store for more at once. */
  readonly concurrentRecoveriesMax?: number | undefined
}
