/**
 * What other nodes send to a region and its entities, and to a coordinator. It is asked once per connection and name, and
 * then only told. Whatever a peer sends is taken, or is logged and dropped; nothing of it throws.
 */
import { DeadLetter } from '../../actor/index.ts'
import { Question, type Runtime } from '../../actor/internals.ts'
import { withoutStack } from '../../foundation/without-stack.ts'
import type { NodeId } from '../../foundation/node-id.ts'
import type { Remoting } from '../../remote/index.ts'
import type { Endpoint } from '../../remote/internals.ts'
import { NotAMessage } from '../../serialization/internals.ts'
import { decodeName, encodeName } from '../entity-name.ts'
import { RoutedEntityRef } from '../entity-ref.ts'
import { reasonOf } from '../addressing.ts'
import type { LocalAddress } from '../shard/shard.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import { EntityMessageDropped } from '../sharding-errors.ts'
import type {
  Flush,
  FlushAck,
  InspectionMessage,
  Returned,
  ToCoordinator,
  Undelivered,
} from '../sharding-messages.ts'
import type { ReturnedParcel, ShardingProtocol } from '../sharding-wire.ts'
import type { Region } from './region.ts'
import { RegionRef } from './region-ref.ts'
import type { Origin } from './shard-buffers.ts'
import type { ShardingDeadLetterReason } from '../sharding-drop-reasons.ts'

export interface RegionEndpointOptions {
  readonly remoting: Remoting
  readonly region: Region
  readonly protocol: ShardingProtocol
  /** For the coordinator, if it is on this node. */
  readonly toCoordinator: (message: ToCoordinator) => void
  /** Questions of whoever looks into this region, and answers to those of this node. */
  readonly toInspector: (from: NodeId, message: InspectionMessage) => void
}

/** Answers how to end it. */
export function serveRegion(options: RegionEndpointOptions): () => void {
  const { remoting, region } = options
  const name = encodeName(region.entityType)
  const ends = [
    remoting.serve(`/system/shards/${name}`, dataEndpoint(options)),
    remoting.serve(`/system/sharding/${name}`, controlEndpoint(options), 'control'),
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
        if (message.type === 'Undelivered') return failQuestion(region, message)
        if (message.type === 'StartEntities') return region.starts.wanted(from, message)
        if (message.type === 'EntitiesStarted') return region.starts.answered(message)
        const heard = withQuestions(region, message)
        if (heard.type === 'Returned') region.returned(from, heard)
        else region.step({ type: 'FromRegion', region: from, message: heard })
      },
    }
  }
}

function controlEndpoint(options: RegionEndpointOptions): Endpoint {
  const { region, protocol, toCoordinator, toInspector } = options
  return (name, from) => ({
    tell: (value) => {
      if (name === 'inspection') {
        const message = protocol.inspection.unpack(value)
        if (message instanceof NotAMessage) return refuse(region.runtime, from, message)
        return toInspector(from, message)
      }
      if (name === 'coordinator') {
        const message = protocol.toCoordinator.unpack(value)
        if (message instanceof NotAMessage) return refuse(region.runtime, from, message)
        // Nobody speaks for another node.
        if (message.region === from) toCoordinator(message)
        return
      }
      const message = protocol.toRegion.unpack(value)
      if (message instanceof NotAMessage) return refuse(region.runtime, from, message)
      region.step({ type: 'FromCoordinator', coordinator: from, message })
    },
  })
}

/** `name` is the stamp of the sender's route and the id of the entity. */
function recipientFor(region: Region, name: string, from: NodeId) {
  const [stampText = '', idText = '', ...rest] = name.split('/')
  const stamp = /^\d{1,15}$/.test(stampText) ? Number(stampText) : undefined
  const entityId = rest.length === 0 ? decodeName(idText) : undefined
  if (stamp === undefined || entityId === undefined) {
    return {
      tell: (message: unknown): void =>
        region.runtime.lost(
          new DeadLetter(message, region.ref, 'no-entity' satisfies ShardingDeadLetterReason),
        ),
    }
  }
  try {
    return new InboundEntity(region, region.shardOf(entityId), entityId, { node: from, stamp })
  } catch (error) {
    return {
      tell: (message: unknown): void => {
        region.unaddressed(message, error)
        region.tellAsker(entityId, message, reasonOf(error) ?? 'no-entity')
      },
    }
  }
}

/** One entity of this node as one region on another node reaches it by one route. */
class InboundEntity implements LocalAddress {
  readonly entityId: EntityId
  foundIn: LocalAddress['foundIn'] = undefined
  found: LocalAddress['found'] = undefined
  readonly #region: Region
  readonly #shard: ShardId
  readonly #origin: Origin

  constructor(region: Region, shard: ShardId, entityId: EntityId, origin: Origin) {
    this.entityId = entityId
    this.#region = region
    this.#shard = shard
    this.#origin = origin
  }

  tell(message: unknown, bytes = 0): void {
    this.#region.receive(this.#shard, this, message, this.#origin, bytes)
  }
}

type WithoutParcels = Flush | FlushAck

/** Whoever asked hears at once when what has come back is dropped here, as it would have before it left. */
function withQuestions(region: Region, message: WithoutParcels | Returned<ReturnedParcel>) {
  if (message.type !== 'Returned') return message
  const parcels = message.parcels.map((parcel) => ({
    ...parcel,
    question: questionIn(region, parcel.entityId, parcel.message),
  }))
  return { ...message, parcels }
}

/**
 * The question that a message carries directly in a field, as on its way out. A message may carry the address of somebody
 * who asked something else, and that question is not over when this message is.
 */
function questionIn(region: Region, entityId: EntityId, message: unknown) {
  if (typeof message !== 'object' || message === null) return undefined
  return Object.values(message).find(
    (value): value is Question => value instanceof Question && isAskedOf(region, entityId, value),
  )
}

/** Nothing happens when the question is over, or was asked of somebody else. */
function failQuestion(region: Region, { entityId, question, reason }: Undelivered): void {
  if (!(question instanceof Question) || !isAskedOf(region, entityId, question)) return
  const { entityType } = region
  question.fail(withoutStack(() => new EntityMessageDropped(entityType, entityId, reason)))
}

function isAskedOf(region: Region, entityId: EntityId, { target, asked }: Question): boolean {
  if (target instanceof RoutedEntityRef) {
    return target.entityType === region.entityType && target.entityId === entityId
  }
  const isOurs = target instanceof RegionRef && target.leadsTo(region)
  return isOurs && region.entityIdIn(asked) === entityId
}

function refuse(runtime: Runtime, from: NodeId, { problem }: NotAMessage): void {
  runtime.logger.warn({ peer: from }, `A message about sharding is refused: ${problem}`)
}
