/** A running node: calls entities, tells about them, and stops in good order. Made by `startNode`. */
import type { ActorSystem } from '../actor/index.ts'
import type { Cluster } from '../cluster/index.ts'
import type { CallOptions, EntityHandle, EntityType } from '../entity/index.ts'
import {
  type CommandWitness,
  EntityCalls,
  type EntityCall,
  type EntityWorld,
} from '../entity/internals.ts'
import type { Address, NodeId } from '../foundation/node-id.ts'
import type { Remoting } from '../remote/index.ts'
import { type ClusterSharding, type EntityExplanation, EntityTypeKey } from '../sharding/index.ts'
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
  readonly #world: EntityWorld
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
    const lostMembers = new LostMembers(cluster, system.environment.clock)
    this.#calls = new EntityCalls({
      travelling: world.travelling,
      targetOf: (entityType, id) => sharding.entityRefFor(this.#keyOf(entityType), id),
      explain: async (entityType, id, waitedMs) =>
        (await this.#explain(entityType, id)).text + lostMembers.inWords(waitedMs),
      // Given up by the cluster, it is frozen for good: a call could only wait.
      isStopping: () => this.#isStopping || isGivenUp(system.shutdown.reason?.type),
      keepsCallerContext,
      unanswered: (site, reason) => world.witness?.unanswered?.(site, reason),
    })
    world.entityOf = (type, id, options) => this.entity(type, id, options)
    // What was begun is finished while everything still stands, unless nothing is handled here any more.
    system.shutdown.addTask('service-requests-done', 'finish the calls under way', async () => {
      if (!isGivenUp(system.shutdown.reason?.type)) await this.#calls.drain()
    })
    // Whoever serves requests has ended by then.
    system.shutdown.addTask('before-cluster-shutdown', 'take no more calls', async () => {
      this.#isStopping = true
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

  /** Where an entity is, and what a call to it would wait for, as this node knows it. */
  explain(type: EntityType<unknown>, id: string): Promise<EntityExplanation> {
    this.#check(type, id)
    return this.#explain(type.name, id)
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
    const { sharding } = this
    // Without types one may hand over a name, or a definition that was not imported.
    const name: unknown = (type as EntityType<unknown> | undefined)?.name
    if (typeof name !== 'string') throw new EntityNotOnNode(type, sharding.entityTypes)
    if (!sharding.isStarted(name)) throw new EntityNotOnNode(name, sharding.entityTypes)
    checkEntityId(id)
  }

  /** What an entity is doing is known to its own node only. */
  async #explain(entityType: string, id: string): Promise<EntityExplanation> {
    const found = await this.sharding.explain(entityType, id)
    const work = found.isRunning === true ? this.#world.work.of(entityType).inWords(id) : undefined
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
