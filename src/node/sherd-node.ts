/** A running node: calls entities, tells about them, and stops in good order. Made by `startNode`. */
import type { ActorSystem } from '../actor/index.ts'
import type { Cluster, ConvergenceExplanation } from '../cluster/index.ts'
import type { CallOptions, EntityHandle, EntityType } from '../entity/index.ts'
import {
  type CommandWitness,
  EntityCalls,
  type EntityCall,
  type EntityWorld,
} from '../entity/internals.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'
import type {
  EntityEvent,
  EventOfId,
  EventsOfIdOptions,
  EventsOfOptions,
  NodeProjection,
  ReadableEntity,
} from '../projection/index.ts'
import type {
  ClusterProjections,
  ProjectionGround,
  StoredReading,
} from '../projection/internals.ts'
import type { Remoting } from '../remote/index.ts'
import {
  type ClusterReport,
  type ClusterSharding,
  type EntityExplanation,
  EntityTypeKey,
  type InspectionOptions,
} from '../sharding/index.ts'
import { checkEntityId } from '../sharding/internals.ts'
import type { Singletons } from '../singleton/index.ts'
import { LostMembers } from './lost-members.ts'
import { EntityNotOnNode } from './node-errors.ts'
import type { StopReason } from './stop-reason.ts'

export interface NodeParts {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly cluster: Cluster
  readonly singletons: Singletons
  readonly sharding: ClusterSharding
  readonly world: EntityWorld
  readonly keepsCallerContext: boolean
  readonly projections: ClusterProjections
  readonly reading: StoredReading
}

export class SherdNode {
  readonly system: ActorSystem
  readonly remoting: Remoting
  readonly cluster: Cluster
  readonly singletons: Singletons
  readonly sharding: ClusterSharding
  /**
   * Resolves when the node has stopped and its store is closed, with the reason: `actor-system-terminate` for `stop()`,
   * `signal`, `leaving`, `downing` when the cluster has gone on without this node. Never rejects.
   */
  readonly whenStopped: Promise<StopReason>
  readonly #calls: EntityCalls
  /** Those that commands make: as long as entities live here, they can call others. */
  readonly #callsOfCommands: EntityCalls
  readonly #world: EntityWorld
  readonly #projections: ClusterProjections
  readonly #reading: StoredReading
  readonly #keys = new Map<string, EntityTypeKey<EntityCall>>()
  #isStopping = false

  constructor(parts: NodeParts) {
    const { system, remoting, cluster, singletons, sharding, world, keepsCallerContext } = parts
    this.system = system
    this.remoting = remoting
    this.cluster = cluster
    this.singletons = singletons
    this.sharding = sharding
    this.whenStopped = ended(system)
    this.#world = world
    this.#projections = parts.projections
    this.#reading = parts.reading
    const lostMembers = new LostMembers(cluster, system.environment.clock)
    const isOver = (): boolean => isGivenUp(system.shutdown.reason?.type)
    const calls: ConstructorParameters<typeof EntityCalls>[0] = {
      system,
      travelling: world.travelling,
      targetOf: (entityType, id) => sharding.entityRefFor(this.#keyOf(entityType), id),
      explain: async (entityType, id, waitedMs) =>
        this.#withWork(sharding.explainFromHere(entityType, id)).text +
        lostMembers.inWords(waitedMs),
      // Given up by the cluster, it is frozen for good: a call could only wait.
      isStopping: isOver,
      keepsCallerContext,
      unanswered: (site, reason) => world.witness?.unanswered?.(site, reason),
    }
    this.#calls = new EntityCalls({ ...calls, isStopping: () => this.#isStopping || isOver() })
    this.#callsOfCommands = new EntityCalls(calls)
    world.entityOf = (type, id, options) => {
      this.#check(type, id)
      return this.#callsOfCommands.handle(type, id, options)
    }
    // What was begun is finished while everything still stands, unless nothing is handled here any more.
    system.shutdown.addTask('service-requests-done', 'finish the calls under way', async () => {
      if (isOver()) return
      await Promise.all([this.#calls.drain(), this.#callsOfCommands.drain()])
    })
    // Whoever serves requests has ended by then.
    system.shutdown.addTask('before-cluster-shutdown', 'take no more calls', async () => {
      this.#isStopping = true
      this.#reading.end()
    })
  }

  /** `host:port`, as other nodes know this one. */
  get address(): Address {
    return this.remoting.address
  }

  get id(): NodeId {
    return this.remoting.node
  }

  /**
   * An entity, wherever it lives and whether it runs or not. Costs nothing: hold it or ask again. Throws
   * `InvalidEntityId`, `EntityNotOnNode`, and `InvalidDuration` or `InvalidSettings` for its options.
   */
  entity<Commands>(
    type: EntityType<Commands>,
    id: string,
    options?: CallOptions,
  ): EntityHandle<Commands> {
    this.#check(type, id)
    return this.#calls.handle(type, id, options)
  }

  /**
   * Where an entity is, why there, and what a call to it would wait for. Its home and its coordinator are asked; what they
   * do not say in time is left out.
   */
  async explain(
    type: EntityType<unknown>,
    id: string,
    options?: InspectionOptions,
  ): Promise<EntityExplanation> {
    this.#check(type, id)
    return this.#withWork(await this.sharding.explain(type.name, id, options))
  }

  /** How many entities of a type live where, in the whole cluster. Who has not answered in time is told as failed. */
  stats(type: EntityType<unknown>, options?: InspectionOptions): Promise<ClusterReport> {
    return this.sharding.clusterStats(this.#nameOf(type), options)
  }

  /**
   * Prepares the stop of the whole cluster: nobody is let in any more, and no entity moves, on any node, so that nodes which stop
   * one after the other do not hand them on to the next. Calls go on. To be called on any node, before the first one
   * stops; cannot be taken back. Resolves with the types of this node whose coordinator has not confirmed in time. When
   * all members know, `cluster.shutdownPhase` is `ready`, and each has published `ReadyForShutdown`.
   */
  prepareForShutdown(options?: InspectionOptions): Promise<readonly string[]> {
    this.cluster.prepareForShutdown()
    return this.sharding.prepareForShutdown(options)
  }

  /** Who keeps the members of the cluster from agreeing, and why: until they do nobody is let in or removed. */
  explainConvergence(): ConvergenceExplanation {
    return this.cluster.explainConvergence()
  }

  /**
   * The events of one entity as they are stored, in order; with `live`, also those to come. Rejects with `UnreadableEvent`,
   * and with the reason of the signal.
   */
  events<Entity extends ReadableEntity>(
    type: Entity,
    id: string,
    options?: EventsOfIdOptions,
  ): AsyncIterable<EventOfId<Entity>> {
    checkEntityId(id)
    return this.#reading.eventsOfId(type, id, options)
  }

  /** The ids of which anything was ever stored, in the order of their bytes. Rejects with `StoreCannot`. */
  ids(
    type: EntityType<unknown>,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<string> {
    return this.#reading.idsOf(type, options.signal)
  }

  /**
   * The events of all entities of these types, or those with a tag; of each entity in order. Goes on behind `after`, the
   * `place` of an event. Rejects with `UnreadableEvent`, `StoreCannot`, `InvalidPlace`, and with the reason of the signal.
   */
  eventsOf<Entity extends ReadableEntity>(
    options: EventsOfOptions<Entity>,
  ): AsyncIterable<EntityEvent<Entity>> {
    return this.#reading.eventsOf(options)
  }

  /** A projection that this node runs, in the whole cluster. Throws `ProjectionNotOnNode`. */
  projection(name: string): NodeProjection {
    return this.#projections.of(name)
  }

  /** @internal For `startProjection`. */
  get projectionGround(): ProjectionGround {
    const { journal, appVersion } = this.#world
    return { system: this.system, journal, node: this.id, appVersion }
  }

  /** @internal Tells it of every command of the entities that live here. To be called before the node joins. */
  witnessCommands(witness: CommandWitness): void {
    this.#world.witness = witness
  }

  /** Hands its entities over, leaves the cluster, stops everything and closes the store. May be called twice. */
  stop(): Promise<void> {
    return this.system.terminate()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** `SherdNode(10.0.0.7:2552)`: what is behind it is large, and is rarely what was asked for. */
  toString(): string {
    return `SherdNode(${this.address})`
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  #check(type: EntityType<unknown>, id: string): void {
    this.#nameOf(type)
    checkEntityId(id)
  }

  #nameOf(type: EntityType<unknown>): string {
    const { sharding } = this
    // Without types one may hand over a name, or a definition that was not imported.
    const name: unknown = (type as EntityType<unknown> | undefined)?.name
    if (typeof name !== 'string') throw new EntityNotOnNode(type, sharding.entityTypes)
    if (!sharding.isStarted(name)) throw new EntityNotOnNode(name, sharding.entityTypes)
    return name
  }

  /** What an entity is doing is known to its own node only. */
  #withWork(found: EntityExplanation): EntityExplanation {
    const { entityType, entityId, isHere, isRunning } = found
    const isBusyHere = isHere && isRunning === true
    const work = isBusyHere ? this.#world.work.of(entityType).inWords(entityId) : undefined
    return work === undefined ? found : { ...found, text: `${found.text} ${work}` }
  }

  #keyOf(entityType: string): EntityTypeKey<EntityCall> {
    const known = this.#keys.get(entityType)
    if (known !== undefined) return known
    const key = new EntityTypeKey<EntityCall>(entityType)
    this.#keys.set(entityType, key)
    return key
  }
}

/** Frozen for good: nothing is handled here any more. */
function isGivenUp(reason: string | undefined): boolean {
  return reason === 'downing' || reason === 'succeeded'
}

async function ended({ whenTerminated, shutdown }: ActorSystem): Promise<StopReason> {
  const byItself: StopReason = { type: 'actor-system-terminate' }
  await whenTerminated
  // The last tasks come after the last actor. A failure was logged where it happened.
  await shutdown.run(byItself).catch(() => undefined)
  return (shutdown.reason as StopReason | undefined) ?? byItself
}
