/**
 * What other nodes send to a region and its entities, and to a coordinator. It is asked once per connection and name, and
 * then only told. Whatever a peer sends is taken, or is logged and dropped; nothing of it throws.
 */
import { DeadLetter, type Runtime } from '../../actor/index.ts'
import type { Endpoint, NodeId, Remoting } from '../../remote/index.ts'
import { NotAMessage } from '../../serialization/index.ts'
import { decodeName, encodeName } from '../entity-name.ts'
import { checkEntityId, type EntityId, type ShardId } from '../shard-id.ts'
import type { ToCoordinator } from '../sharding-messages.ts'
import type { BetweenPeers, ShardingProtocol } from '../sharding-protocol.ts'
import type { RegionActor } from './region-actor.ts'
import type { Origin } from './shard-buffers.ts'

export interface RegionEndpointOptions {
  readonly remoting: Remoting
  readonly region: RegionActor
  readonly protocol: ShardingProtocol
  /** For the coordinator, if it is on this node. */
  readonly toCoordinator: (from: NodeId, message: ToCoordinator) => void
}

/** Answers how to end it. */
export function serveRegion(options: RegionEndpointOptions): () => void {
  const { remoting, region } = options
  const name = encodeName(region.typeName)
  const ends = [
    remoting.serve(`/system/shards/${name}`, dataEndpoint(options)),
    remoting.serve(`/system/sharding/${name}`, controlEndpoint(options)),
  ]
  return () => ends.forEach((end) => end())
}

/** Messages for entities, and what regions say to each other in order with them. */
function dataEndpoint({ region, protocol }: RegionEndpointOptions): Endpoint {
  return (name, from) => {
    if (name !== '') return recipientFor(region, name, from)
    return {
      tell: (value) => {
        const message = protocol.betweenPeers.unpack(value)
        if (message instanceof NotAMessage) return refuse(region.runtime, from, message)
        region.step({ type: 'FromRegion', region: from, message: withQuestions(message) })
      },
    }
  }
}

function controlEndpoint(options: RegionEndpointOptions): Endpoint {
  const { region, protocol, toCoordinator } = options
  return (name, from) => ({
    tell: (value) => {
      if (name === 'coordinator') {
        const message = protocol.toCoordinator.unpack(value)
        if (message instanceof NotAMessage) return refuse(region.runtime, from, message)
        // Nobody speaks for another node.
        if (message.region === from) toCoordinator(from, message)
        return
      }
      const message = protocol.toRegion.unpack(value)
      if (message instanceof NotAMessage) return refuse(region.runtime, from, message)
      region.step({ type: 'FromCoordinator', coordinator: from, message })
    },
  })
}

/** `name` is the stamp of the sender's route and the id of the entity. */
function recipientFor(region: RegionActor, name: string, from: NodeId) {
  const [stampText = '', idText = '', ...rest] = name.split('/')
  const stamp = /^\d{1,15}$/.test(stampText) ? Number(stampText) : undefined
  const entityId = rest.length === 0 ? decodeName(idText) : undefined
  const shard = entityId === undefined ? undefined : shardIfAny(region, entityId)
  if (stamp === undefined || entityId === undefined || shard === undefined) {
    return {
      tell: (message: unknown): void =>
        region.runtime.lost(new DeadLetter(message, region.ref, 'no-entity')),
    }
  }
  return new InboundEntity(region, shard, entityId, { node: from, stamp })
}

function shardIfAny(region: RegionActor, entityId: EntityId): ShardId | undefined {
  try {
    checkEntityId(entityId)
    return region.shardOf(entityId)
  } catch (error) {
    const fields = { err: error, entityType: region.typeName }
    region.runtime.logger.warn(fields, 'A message from another node names no entity.')
    return undefined
  }
}

/** One entity of this node as one region on another node reaches it by one route. */
class InboundEntity {
  readonly #region: RegionActor
  readonly #shard: ShardId
  readonly #entityId: EntityId
  readonly #origin: Origin

  constructor(region: RegionActor, shard: ShardId, entityId: EntityId, origin: Origin) {
    this.#region = region
    this.#shard = shard
    this.#entityId = entityId
    this.#origin = origin
  }

  tell(message: unknown): void {
    this.#region.receive(this.#shard, this.#entityId, message, this.#origin)
  }
}

/** What comes back carries the address for its answer in the message itself. */
function withQuestions(message: BetweenPeers) {
  if (message.type !== 'Returned') return message
  const parcels = message.parcels.map(({ entityId, message: content }) => ({
    ...{ entityId, message: content, question: undefined },
  }))
  return { ...message, parcels }
}

function refuse(runtime: Runtime, from: NodeId, { problem }: NotAMessage): void {
  runtime.logger.warn({ from }, `A message about sharding was refused: ${problem}`)
}
