/** What a region says aloud: to the operator by the log, to listeners by the event stream. */
import type { Runtime } from '../../actor/internals.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import { show } from '../../foundation/show.ts'
import type { DuplicateOwnership } from '../inspection/reports.ts'
import { DuplicateOwner, HandOverIncomplete } from '../sharding-events.ts'

export class RegionNews {
  readonly #entityType: string
  readonly #runtime: Runtime
  /** Reasons for which messages had no entity. */
  readonly #toldOf = new Set<string>()

  constructor(entityType: string, runtime: Runtime) {
    this.#entityType = entityType
    this.#runtime = runtime
  }

  /** Somebody has seen that a shard, or an entity, lives twice. */
  livesTwice(duplicate: DuplicateOwnership): void {
    const entityType = this.#entityType
    const { shard, entityId, owners } = duplicate
    const what = entityId === undefined ? `Shard ${shard}` : `Entity ${show(entityId)}`
    const homes = owners.map(({ node, epoch }) => `${node} (epoch ${epoch})`).join(' and ')
    this.#runtime.logger.error(
      { entityType, ...duplicate },
      `${what} of ${entityType} lives twice, on ${homes}. Look whether two clusters use one store, and whether all nodes have the same extractor.`,
    )
    this.#runtime.eventStream.publish(new DuplicateOwner(entityType, duplicate))
  }

  /** Time is up, and these are stopped where they are. */
  leftBehind(news: HandOverIncomplete['shards'], node: NodeId, buffered: number): void {
    const entityType = this.#entityType
    const entities = news.reduce((sum, each) => sum + each.entities, 0)
    const named = news.slice(0, 20).map((each) => `${each.shard} (${each.entities})`)
    const list = `${named.join(', ')}${news.length > named.length ? ' and more' : ''}`
    this.#runtime.logger.warn(
      { entityType, shards: news.length, entities, buffered },
      `The region of ${entityType} stops ${entities} entities by force: ${news.length} shards were not handed over in time. Shards, with their entities: ${list}.`,
    )
    const incomplete = new HandOverIncomplete(entityType, { node, shards: news, buffered })
    this.#runtime.eventStream.publish(incomplete)
  }

  /** Nothing can be called, and nobody else knows. */
  lonely(asked: readonly NodeId[], forMs: number): void {
    const entityType = this.#entityType
    const where =
      asked.length === 0 ? 'there is no member that could be it' : `asked: ${asked.join(', ')}`
    this.#runtime.logger.error(
      { entityType, asked },
      `No coordinator of ${entityType} has answered for ${forMs} ms; ${where}. Has ClusterSharding been started on all nodes, with the type ${entityType}? The oldest node with its role decides where its entities live, and calls wait for it.`,
    )
  }

  /** Of every reason once. */
  unaddressed(reason: string, error: unknown): void {
    if (this.#toldOf.has(reason)) return
    this.#toldOf.add(reason)
    this.#runtime.logger.warn(
      { err: error, entityType: this.#entityType },
      'A message names no entity. This is said once; each such message is a dead letter.',
    )
  }
}
