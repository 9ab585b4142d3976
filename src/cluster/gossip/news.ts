/**
 * How news of a view is written for the wire: in lists without names, since the same is said to many, with each node that
 * made a change and each description once. What comes back is checked in `cluster-wire.ts` first.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import {
  type Member,
  type MemberDescription,
  type MemberStatus,
  descriptionKeyOf,
  descriptionOf,
} from './member.ts'
import type { Change, News, RecordOrigin, Sourced } from './origins.ts'
import type { ObserverRows, ReachabilityRow } from './reachability.ts'

/** By turns: the place of who made the change in `makers`, and which of its changes it was. */
type PackedOrigin = readonly number[]

export type PackedMember = readonly [
  node: NodeId,
  status: MemberStatus,
  upNumber: number,
  /** Its place in `descriptions`. */
  description: number,
  origin: PackedOrigin,
]

export type PackedRow = readonly [subject: NodeId, isTerminated: boolean, version: number]

export type PackedObserver = readonly [
  observer: NodeId,
  version: number,
  rows: readonly PackedRow[],
  origin: PackedOrigin,
]

export type PackedNode = readonly [node: NodeId, origin: PackedOrigin]

export type PackedNews = readonly [
  makers: readonly NodeId[],
  descriptions: readonly MemberDescription[],
  members: readonly PackedMember[],
  observers: readonly PackedObserver[],
  tombstones: readonly PackedNode[],
  dropped: readonly PackedNode[],
  lastUpNumber: number,
  isEnding: boolean,
]

export function packNews(news: News): PackedNews {
  const makers = new Places<NodeId, NodeId>()
  const descriptions = new Places<string, MemberDescription>()
  const pack = (origin: RecordOrigin): PackedOrigin =>
    origin.flatMap(([by, count]) => [makers.placeOf(by, () => by), count])
  const packNode = ([node, origin]: Sourced<NodeId>): PackedNode => [node, pack(origin)]
  const members = news.members.map(([member, origin]): PackedMember => {
    const { node, status, upNumber } = member
    const description = descriptions.placeOf(descriptionKeyOf(member), () => descriptionOf(member))
    return [node, status, upNumber, description, pack(origin)]
  })
  const observers = news.observers.map(([{ observer, version, rows }, origin]): PackedObserver => [
    observer,
    version,
    rows.map((row): PackedRow => [row.subject, row.status === 'Terminated', row.version]),
    pack(origin),
  ])
  const tombstones = news.tombstones.map(packNode)
  const dropped = news.dropped.map(packNode)
  return [
    makers.items,
    descriptions.items,
    members,
    observers,
    tombstones,
    dropped,
    news.lastUpNumber,
    news.isEnding,
  ]
}

/** Of news that has its shape. */
export function unpackNews(packed: PackedNews): News {
  const [makers, descriptions, members, observers, tombstones, dropped, lastUpNumber, isEnding] =
    packed
  const unpack = (origin: PackedOrigin): RecordOrigin => {
    const changes: Change[] = []
    for (let at = 0; at < origin.length; at += 2)
      changes.push([makers[origin[at]!]!, origin[at + 1]!])
    return changes
  }
  const unpackNode = ([node, origin]: PackedNode): Sourced<NodeId> => [node, unpack(origin)]
  return {
    members: members.map(([node, status, upNumber, description, origin]) => {
      const member: Member = { node, status, ...descriptions[description]!, upNumber }
      return [member, unpack(origin)]
    }),
    observers: observers.map(([observer, version, rows, origin]) => [
      { observer, version, rows: rows.map(unpackRow) } satisfies ObserverRows,
      unpack(origin),
    ]),
    tombstones: tombstones.map(unpackNode),
    dropped: dropped.map(unpackNode),
    lastUpNumber,
    isEnding,
  }
}

function unpackRow([subject, isTerminated, version]: PackedRow): ReachabilityRow {
  return { subject, status: isTerminated ? 'Terminated' : 'Unreachable', version }
}

/** Things in the order in which they first came. */
class Places<Key, Item> {
  readonly items: Item[] = []
  readonly #places = new Map<Key, number>()

  placeOf(key: Key, make: () => Item): number {
    let place = this.#places.get(key)
    if (place === undefined) {
      place = this.items.length
      this.#places.set(key, place)
      this.items.push(make())
    }
    return place
  }
}
