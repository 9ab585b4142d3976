/**
 * The projections of one node in its cluster. Each is an entity type of the runtime: its ranges are the entities, one to a
 * shard, so sharding gives every range one node at a time, spreads them evenly and moves them when nodes come and go. They
 * never rest: every node that has the projection asks again and again that all of them run.
 */
import { type ActorRef, Behaviors } from '../actor/index.ts'
import { withoutDeadLetterLog } from '../actor/internals.ts'
import type { Cluster } from '../cluster/index.ts'
import { isAmong } from '../cluster/internals.ts'
import type { NodeId } from '../foundation/node-id.ts'
import type { Remoting } from '../remote/index.ts'
import { NotAMessage } from '../serialization/internals.ts'
import {
  type ClusterSharding,
  EntityTypeKey,
  LocalShardStarted,
  type MessageExtractor,
} from '../sharding/index.ts'
import type { Projection } from './define-projection.ts'
import { ProjectionNotOnNode } from './projection-errors.ts'
import { type ProjectionGround, workersOf } from './projection-ground.ts'
import { projectionProtocol } from './projection-wire.ts'
import { leaveRange, rangeActor } from './range-actor.ts'
import { type ProjectionStatus, type RangeStatus, statusOf } from './range-status.ts'
import type { RangeWorker } from './range-worker.ts'
import { resetAll } from './start-projection.ts'

export interface ClusterProjectionsOptions extends ProjectionGround {
  readonly node: NodeId
  readonly remoting: Remoting
  readonly cluster: Cluster
  readonly sharding: ClusterSharding
  readonly projections: readonly Projection[]
  /** By which attribute the nodes that run a projection are known. */
  readonly hostAttribute: (entityType: string) => string
}

/** A projection that runs in the cluster of this node. */
export interface NodeProjection {
  readonly name: string
  /**
   * How far each range came, on all nodes that run it. Waits no longer than the setting `answerTimeoutMs`; who has not
   * answered by then is named.
   */
  status(): Promise<ProjectionStatus>
  /**
   * Begins again from the first event, in the whole cluster. What the handler has made is not touched: empty it before, or in
   * the handler. Rejects with `ResetIncomplete`.
   */
  reset(): Promise<void>
}

/** The entity type of a projection: none that a user defines can have this name. */
export function rangesTypeOf(projection: string): string {
  return `projection/${projection}`
}

const statusActor = 'projections'

/** A range is an entity, and its own shard. */
const rangeExtractor: MessageExtractor<never, unknown> = {
  entityId: () => undefined,
  shardId: (range) => Number(range),
  unwrapMessage: (message) => message,
}

export class ClusterProjections {
  readonly #options: ClusterProjectionsOptions
  readonly #projections: ReadonlyMap<string, Projection>
  /** The ranges that live here, by projection. */
  readonly #workers = new Map<string, Set<RangeWorker>>()

  constructor(options: ClusterProjectionsOptions) {
    this.#options = options
    this.#projections = new Map(options.projections.map((each) => [each.name, each]))
  }

  /** Before the node joins. Throws `StoreCannot`. */
  start(): void {
    const { system, projections } = this.#options
    if (projections.length === 0) return
    for (const projection of projections) this.#startRanges(projection)
    system.spawnSystemActor(this.#statusBehavior(), statusActor)
    this.#wakeWhatComes()
    const keepers = projections.map((each) => system.spawnSystemActor(this.#keeper(each)))
    system.shutdown.addTask('before-cluster-shutdown', 'wake no more ranges', async () => {
      for (const keeper of keepers) keeper.tell('end')
    })
  }

  /** Throws `ProjectionNotOnNode`. */
  of(name: string): NodeProjection {
    const projection = this.#projections.get(name)
    if (projection === undefined) throw new ProjectionNotOnNode(name, [...this.#projections.keys()])
    return {
      name,
      status: () => this.#status(projection),
      reset: () => resetAll(projection, (range) => this.#rangeAt(name, range)),
    }
  }

  #startRanges(projection: Projection): void {
    const { name, ranges } = projection
    const workers = workersOf(projection, this.#options)
    const { shutdown } = this.#options.system
    // When the ranges have been handed over.
    shutdown.addTask('before-actor-system-terminate', `let go of ${name}`, () => workers.close())
    const living = new Set<RangeWorker>()
    this.#workers.set(name, living)
    this.#options.sharding.start({
      entityType: rangesTypeOf(name),
      extractor: rangeExtractor,
      stopMessage: leaveRange,
      // There are few of them, and a move costs little: a new node gets its share in one round.
      settings: { numberOfShards: ranges, passivateIdleAfterMs: Infinity, rebalanceShareMax: 1 },
      behavior: ({ entityId }) =>
        rangeActor({
          makeWorker: () => workers.make(Number(entityId)),
          began: (worker) => living.add(worker),
          ended: (worker) => living.delete(worker),
        }),
    })
  }

  /** Wakes all ranges, at once and then again and again. */
  #keeper({ name, ranges, settings }: Projection) {
    const { cluster, sharding } = this.#options
    return Behaviors.withTimers<'wake' | 'end'>((timers) => {
      timers.startFixedDelay('wake', settings.keepAliveIntervalMs, 'wake', 1)
      return Behaviors.receiveMessage<'wake' | 'end'>((message) => {
        if (message === 'end') return Behaviors.stopped()
        // What waits for a coordinator already need not wait twice.
        const { buffered } = sharding.regionState(rangesTypeOf(name))
        if (cluster.isFrozen || buffered >= ranges) return undefined
        for (let range = 0; range < ranges; range++) this.#wake(name, range)
        return undefined
      })
    })
  }

  /** A range that has moved here need not wait until somebody asks for it. */
  #wakeWhatComes(): void {
    const names = new Map([...this.#projections.keys()].map((name) => [rangesTypeOf(name), name]))
    this.#options.system.eventStream.subscribe(LocalShardStarted, ({ entityType, shard }) => {
      const name = names.get(entityType)
      if (name !== undefined) this.#wake(name, shard)
    })
  }

  #wake(name: string, range: number): void {
    const keep = projectionProtocol.pack({ type: 'KeepRange' })
    this.#rangeAt(name, range).tell(withoutDeadLetterLog(keep))
  }

  #rangeAt(name: string, range: number) {
    const key = new EntityTypeKey<unknown>(rangesTypeOf(name))
    return this.#options.sharding.entityRefFor(key, String(range))
  }

  // ---- what is known of them

  #statusBehavior() {
    return Behaviors.receiveMessage<unknown>((message) => {
      const said = projectionProtocol.unpack(message)
      if (said instanceof NotAMessage || said.type !== 'GetProjectionRanges') {
        return Behaviors.unhandled
      }
      const ranges = this.#rangesHere(said.projection)
      said.replyTo.tell(projectionProtocol.pack({ type: 'ProjectionRanges', ranges }))
      return undefined
    })
  }

  #rangesHere(projection: string): RangeStatus[] {
    return [...(this.#workers.get(projection) ?? [])].map(({ status }) => status)
  }

  async #status(projection: Projection): Promise<ProjectionStatus> {
    const { cluster, hostAttribute, node: self } = this.#options
    const attribute = hostAttribute(rangesTypeOf(projection.name))
    const told = this.#rangesHere(projection.name)
    const unanswered: NodeId[] = []
    // Those of another data center run the ranges once more, and are asked there.
    const { dataCenter } = cluster.settings
    const others = cluster.state.members.filter(
      (member) => member.node !== self && isAmong(member, { attribute, dataCenter }),
    )
    const ask = async ({ node }: { readonly node: NodeId }): Promise<void> => {
      const ranges = await this.#rangesOn(node, projection)
      if (ranges === undefined) unanswered.push(node)
      else told.push(...ranges)
    }
    await Promise.all(others.map(ask))
    return statusOf(projection, told, unanswered.sort())
  }

  /** Undefined when it does not answer. */
  async #rangesOn(
    node: NodeId,
    { name: projection, settings }: Projection,
  ): Promise<readonly RangeStatus[] | undefined> {
    const there = this.#options.remoting.refAt(node, `/system/${statusActor}`)
    const question = (replyTo: ActorRef<unknown>) =>
      projectionProtocol.pack({ type: 'GetProjectionRanges', projection, replyTo })
    try {
      const answer = await there.ask<unknown>(question, { timeout: settings.answerTimeoutMs })
      const said = projectionProtocol.unpack(answer)
      const isAnswer = !(said instanceof NotAMessage) && said.type === 'ProjectionRanges'
      return isAnswer ? said.ranges : undefined
    } catch {
      return undefined
    }
  }
}
