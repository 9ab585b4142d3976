/** The changes that the records of a view come from, as they travel beside the view to one that is let in. */
import type { NodeId } from '../../foundation/node-id.ts'
import type { Gossip } from './gossip.ts'
import type { Change, RecordOrigin, Origins, RecordKind } from './origins.ts'
import { type VectorClock, changesBy, entriesBeyond } from './vector-clock.ts'

/** By turns: the place of who made the change in `makers`, and which of its changes it was. */
type Numbers = readonly number[]

export type PackedOrigins = readonly [
  makers: readonly NodeId[],
  /** In the same way: how many changes are settled, of those who have made more since. */
  settled: Numbers,
  /** The first number is the place of the member in the view. */
  members: readonly Numbers[],
  observers: readonly (readonly [NodeId, Numbers])[],
  tombstones: readonly (readonly [NodeId, Numbers])[],
  dropped: readonly (readonly [NodeId, Numbers])[],
]

/** Of a view that everybody knows. */
export const noOrigins: Readonly<PackedOrigins> = [[], [], [], [], [], []]

export interface UnpackedOrigins {
  readonly settled: VectorClock
  readonly records: readonly (readonly [RecordKind, NodeId, RecordOrigin])[]
}

export function packOrigins(origins: Origins, gossip: Gossip, settled: VectorClock): PackedOrigins {
  const makers: NodeId[] = []
  const places = new Map<NodeId, number>()
  const pack = (changes: readonly Change[]): number[] =>
    changes.flatMap(([by, count]) => {
      if (!places.has(by)) places.set(by, makers.push(by) - 1)
      return [places.get(by)!, count]
    })
  const packTable = (kind: RecordKind) =>
    [...origins.table(kind)].map(([node, origin]) => [node, pack(origin)] as const)
  const before = entriesBeyond(gossip.version, settled).map(([node]): Change => [
    node,
    changesBy(settled, node),
  ])
  const members = gossip.members.flatMap(({ node }, place) => {
    const origin = origins.get('members', node)
    return origin === undefined ? [] : [[place, ...pack(origin)]]
  })
  const packedBefore = pack(before)
  const [observers, tombstones, dropped] = (['observers', 'tombstones', 'dropped'] as const).map(
    packTable,
  )
  return [makers, packedBefore, members, observers!, tombstones!, dropped!]
}

/** Of origins that have their shape; what does not fit this view is left out. */
export function unpackOrigins(packed: PackedOrigins, gossip: Gossip): UnpackedOrigins {
  const [makers, before, members, ...tables] = packed
  const unpack = (numbers: Numbers, from = 0): Change[] => {
    const changes: Change[] = []
    for (let at = from; at + 1 < numbers.length; at += 2) {
      const by = makers[numbers[at]!]
      if (by !== undefined) changes.push([by, numbers[at + 1]!])
    }
    return changes
  }
  const counts = new Map(unpack(before))
  const settled = gossip.version
    .map((entry): Change => [entry[0], counts.get(entry[0]) ?? entry[1]])
    .filter(([, count]) => count > 0)
  const ofMembers = members.flatMap((numbers) => {
    const node = gossip.members[numbers[0] ?? -1]?.node
    return node === undefined ? [] : [['members', node, unpack(numbers, 1)] as const]
  })
  const kinds = ['observers', 'tombstones', 'dropped'] as const
  const others = kinds.flatMap((kind, index) =>
    tables[index]!.map(([node, numbers]) => [kind, node, unpack(numbers)] as const),
  )
  return { settled, records: [...ofMembers, ...others] }
}
