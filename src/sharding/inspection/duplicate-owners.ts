/**
 * Finds shards, and entities, that live at two homes at once, among what regions have answered. Answers are not of one
 * moment, so that a shard which moved meanwhile looks like two; whoever has the earlier life is asked again, since in a move
 * that one has ended before the later one began.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { EntityId, ShardId } from '../shard-id.ts'
import type { RegionReported } from '../sharding-messages.ts'
import type { DuplicateOwnership } from './reports.ts'

interface Owner {
  readonly node: NodeId
  readonly epoch: number
}

/** Owners by age of their lives, the earliest first. Entities are compared where ids were asked for. */
export function duplicatesAmong(
  answers: ReadonlyMap<NodeId, RegionReported | undefined>,
): DuplicateOwnership[] {
  const shards = new Map<ShardId, Owner[]>()
  const entities = new Map<EntityId, (Owner & { readonly shard: ShardId })[]>()
  for (const [node, answer] of answers) {
    for (const { shard, epoch, phase, entityIds = [] } of answer?.shards ?? []) {
      if (phase === 'stopping') continue
      add(shards, shard, { node, epoch })
      for (const entityId of entityIds) add(entities, entityId, { node, epoch, shard })
    }
  }
  const duplicates: DuplicateOwnership[] = []
  for (const [shard, owners] of shards) {
    if (owners.length > 1) duplicates.push({ shard, owners: byAge(owners) })
  }
  for (const [entityId, owners] of entities) {
    // In one shard at two homes it is told of with the shard.
    const [first] = owners
    if (first === undefined || owners.every(({ shard }) => shard === first.shard)) continue
    const found = byAge(owners.map(({ node, epoch }) => ({ node, epoch })))
    duplicates.push({ shard: first.shard, entityId, owners: found })
  }
  return duplicates
}

/** Whether the one that had the earlier life has it still. */
function isStillThere(
  { shard, owners }: DuplicateOwnership,
  again: RegionReported | undefined,
): boolean {
  const found = again?.shards.find((each) => each.shard === shard)
  return found !== undefined && found.phase !== 'stopping' && found.epoch === owners[0]?.epoch
}

/**
 * Those of them that are there after a second look, since a shard may have moved between two answers: `ask` puts the question
 * to whoever is said to have the earlier life, once for all its shards. What two nodes place differently needs no second look.
 */
export async function confirmed(
  suspected: readonly DuplicateOwnership[],
  ask: (node: NodeId) => Promise<RegionReported | undefined>,
): Promise<DuplicateOwnership[]> {
  const asked = new Map<NodeId, Promise<RegionReported | undefined>>()
  const looks = suspected.map(async (duplicate) => {
    const earlier = duplicate.owners[0]
    if (duplicate.entityId !== undefined || earlier === undefined) return [duplicate]
    const again = asked.get(earlier.node) ?? ask(earlier.node)
    asked.set(earlier.node, again)
    return isStillThere(duplicate, await again) ? [duplicate] : []
  })
  return (await Promise.all(looks)).flat()
}

function byAge(owners: readonly Owner[]): Owner[] {
  return owners.toSorted((a, b) => a.epoch - b.epoch)
}

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
