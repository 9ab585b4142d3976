/** Says in words where an entity is and what a message for it waits for. For people who look for a message. */
import { type Address, addressOfNode, type NodeId } from '../remote/index.ts'
import type { RoutedEntityRef } from './entity-ref.ts'
import type { RegionActor } from './region/region-actor.ts'
import type { EntityId, ShardId } from './shard-id.ts'

export interface EntityExplanation {
  readonly typeName: string
  readonly entityId: EntityId
  readonly shard: ShardId
  /** The node of its shard, as far as this node knows. */
  readonly home: NodeId | undefined
  /** The same as `host:port`. */
  readonly homeAddress: Address | undefined
  readonly isHere: boolean
  /** Whether the entity runs; known only to the node it lives on. */
  readonly isRunning: boolean | undefined
  /** Messages of this node that wait for its shard. */
  readonly buffered: number
  readonly coordinator: NodeId | undefined
  readonly text: string
}

export function explainEntity(
  region: RegionActor,
  { entityId, shard }: RoutedEntityRef<unknown>,
  self: NodeId,
): EntityExplanation {
  const { home, buffered, coordinator } = region.explain(shard)
  const isHere = home === self
  const isRunning = isHere ? region.isRunning(shard, entityId) : undefined
  const { typeName } = region
  const waiting = buffered === 0 ? '' : ` ${buffered} messages of this node wait for that shard.`
  const text = `Entity ${entityId} of type ${typeName} is in shard ${shard}. ${placeOf(region, shard, { self, isRunning })}${waiting}`
  const homeAddress = home === undefined ? undefined : addressOfNode(home)
  return {
    ...{ typeName, entityId, shard, home, homeAddress },
    ...{ isHere, isRunning, buffered, coordinator, text },
  }
}

function placeOf(
  region: RegionActor,
  shard: ShardId,
  { self, isRunning }: { readonly self: NodeId; readonly isRunning: boolean | undefined },
): string {
  const { home, waitsForFlushOf, here, coordinator, isRouted } = region.explain(shard)
  const { phase, isFrozen, refusal } = region.snapshot()
  if (phase === 'stopped') return 'The region of this node has stopped.'
  if (refusal !== undefined) return `The region of this node was refused: ${refusal}.`
  if (waitsForFlushOf !== undefined) {
    return `It moved away from ${waitsForFlushOf}, which has not yet answered for the messages it still had.`
  }
  if (home === undefined) {
    if (here === 'stopping')
      return 'It is being handed off by this node; its entities are stopping.'
    return coordinator === undefined
      ? 'Its home is not known, and no coordinator has been found yet: is a node with the role up, and a majority reachable?'
      : `Its home is not known yet; the coordinator on ${coordinator} is asked when a message comes.`
  }
  if (home !== self)
    return `It lives on ${home}${isRouted ? '.' : ', but nothing is routed there now.'}`
  if (isFrozen)
    return 'It lives on this node, which is frozen: it may have been cut off from the majority.'
  return isRunning === true
    ? 'It lives on this node, and the entity runs.'
    : 'It lives on this node; the entity starts with its next message.'
}
