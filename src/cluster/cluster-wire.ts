/**
 * How cluster messages travel, and what is taken for one. Whatever a peer sends is looked through before the machine
 * sees it: the machine may rely on well-formed ids, on sorted lists without doubles and on the invariants of a gossip.
 */
import {
  isCount,
  isFlag,
  isText,
  listOf,
  maybe,
  oneOf,
  recordOf,
  tableOf,
  tupleOf,
} from '../foundation/shape.ts'
import type { Shape } from '../foundation/shape.ts'
import { type NodeId, compareNodes, isAddress, isNodeId } from '../foundation/node-id.ts'
import { compareTexts as byText } from '../foundation/sorted-list.ts'
import { MessageProtocol } from '../serialization/internals.ts'
import type { ClusterMessage } from './cluster-messages.ts'
import { isAppVersion } from './gossip/app-version.ts'
import { isDataCenterName } from './gossip/data-center.ts'
import { type Gossip, brokenInvariantOf } from './gossip/gossip.ts'
import {
  type Member,
  attributesMax,
  compareMembers,
  defaultDataCenter,
  notYetUp,
  rolesMax,
} from './gossip/member.ts'
import type { PackedNews, PackedObserver } from './gossip/news.ts'
import { originMax } from './gossip/origins.ts'
import type { PackedOrigins } from './gossip/packed-origins.ts'

/** Far beyond what a cluster of this design can hold; it bounds what one message can make us look at. */
const membersMax = 10_000
const tombstonesMax = 100_000
const textsMax = 100

const isNode: Shape = (value) => isNodeId(value)
const isShortText: Shape = (value) => isText(value) && (value as string).length <= 1_000
/** Leaves room to count on. */
const isVersion: Shape = (value) => isCount(value) && (value as number) < 2 ** 48
const roles = listOf(isShortText, rolesMax)
const attributes = listOf(isShortText, attributesMax)
/** The default one is not written down. */
const dataCenter = maybe((value) => isDataCenterName(value) && value !== defaultDataCenter)
const description = { roles, attributes, appVersion: isAppVersion, dataCenter }
const isStatus = oneOf('Joining', 'Up', 'Leaving', 'Exiting', 'Down')
const isUpNumber: Shape = (value) =>
  isCount(value) && (value as number) > 0 && (value as number) <= notYetUp
const isLastUpNumber: Shape = (value) => isCount(value) && (value as number) < notYetUp

const isDescription: Shape = both(
  recordOf(description),
  (member: Member) => isSorted(member.roles, byText) && isSorted(member.attributes, byText),
)

const isMember: Shape = both(
  recordOf({ node: isNode, status: isStatus, ...description, upNumber: isUpNumber }),
  (member: Member) =>
    isDescription(member) && (member.status !== 'Up' || member.upNumber < notYetUp),
)

const isReachabilityRow = recordOf({
  subject: isNode,
  status: oneOf('Unreachable', 'Terminated'),
  version: isVersion,
})

const isObserverRows: Shape = both(
  recordOf({ observer: isNode, version: isVersion, rows: listOf(isReachabilityRow, membersMax) }),
  ({ observer, rows }: Gossip['reachability'][number]) =>
    isSorted(rows, (a, b) => byText(a.subject, b.subject)) &&
    rows.every(({ subject }) => subject !== observer),
)

const isClockEntry: Shape = (value) =>
  Array.isArray(value) && value.length === 2 && isNode(value[0]) && isVersion(value[1])

const isClock: Shape = both(
  listOf(isClockEntry, membersMax),
  (clock: readonly (readonly [NodeId, number])[]) => isSorted(clock, (a, b) => byText(a[0], b[0])),
)

/** A gossip that keeps its invariants. */
export const isGossip: Shape = both(
  recordOf({
    members: listOf(isMember, membersMax),
    seen: listOf(isNode, membersMax),
    reachability: listOf(isObserverRows, membersMax),
    version: isClock,
    tombstones: listOf(isNode, tombstonesMax),
    lastUpNumber: isLastUpNumber,
    isEnding: isFlag,
  }),
  (gossip: Gossip) =>
    isSorted(gossip.members, compareMembers) &&
    isSorted(gossip.seen, compareNodes) &&
    isSorted(gossip.reachability, (a, b) => byText(a.observer, b.observer)) &&
    isSorted(gossip.tombstones, byText) &&
    brokenInvariantOf(gossip) === undefined,
)

/** By turns a number and a count. */
const isCounted = (pairsMax: number): Shape =>
  both(listOf(isVersion, 2 * pairsMax), (list: readonly number[]) => list.length % 2 === 0)
const isOrigin = isCounted(originMax)
const isSourcedNode = tupleOf(isNode, isOrigin)

const isPackedObserver: Shape = both(
  tupleOf(isNode, isVersion, listOf(tupleOf(isNode, isFlag, isVersion), membersMax), isOrigin),
  ([observer, , rows]: PackedObserver) =>
    isSorted(rows, (a, b) => byText(a[0], b[0])) && rows.every(([subject]) => subject !== observer),
)

const isNews: Shape = both(
  tupleOf(
    listOf(isNode, membersMax),
    listOf(isDescription, membersMax),
    listOf(tupleOf(isNode, isStatus, isUpNumber, isCount, isOrigin), membersMax),
    listOf(isPackedObserver, membersMax),
    listOf(isSourcedNode, tombstonesMax),
    listOf(isSourcedNode, tombstonesMax),
    isLastUpNumber,
    isFlag,
  ),
  ([makers, descriptions, members, observers, tombstones, dropped]: PackedNews) => {
    const isMade = (origin: readonly number[]): boolean =>
      origin.length > 0 && origin.every((number, at) => at % 2 === 1 || number < makers.length)
    return (
      areDistinct(members.map(([node]) => node)) &&
      areDistinct(observers.map(([node]) => node)) &&
      members.every(
        ([, status, upNumber, place, origin]) =>
          place < descriptions.length && (status !== 'Up' || upNumber < notYetUp) && isMade(origin),
      ) &&
      observers.every(([, , , origin]) => isMade(origin)) &&
      [...tombstones, ...dropped].every(([, origin]) => isMade(origin))
    )
  },
)

const isOrigins: Shape = both(
  tupleOf(
    listOf(isNode, membersMax),
    isCounted(membersMax),
    listOf(listOf(isVersion, 2 * originMax + 1), membersMax),
    listOf(isSourcedNode, membersMax),
    listOf(isSourcedNode, tombstonesMax),
    listOf(isSourcedNode, tombstonesMax),
  ),
  ([makers, settled, members, ...tables]: PackedOrigins) => {
    const isMade = (origin: readonly number[]): boolean =>
      origin.every((number, at) => at % 2 === 1 || number < makers.length)
    return (
      isMade(settled) &&
      members.every((numbers) => numbers.length % 2 === 1 && isMade(numbers.slice(1))) &&
      tables.every((table) => table.every(([, origin]) => isMade(origin)))
    )
  },
)

const isDigest = isCount
/** One bit per member, and a little more. */
const isSeen: Shape = (value) => value instanceof Uint8Array && value.length <= membersMax
const isSummary = tupleOf(isDigest, isDigest, isCounted(membersMax), isSeen)

const from = isNode

export const clusterProtocol = new MessageProtocol<ClusterMessage>('cluster', {
  InitJoin: { version: 1, fields: { from, agreement: tableOf(isShortText, textsMax) } },
  InitJoinAck: {
    version: 3,
    fields: {
      from,
      problems: listOf(isShortText, textsMax),
      differences: listOf(isShortText, textsMax),
      founder: isNode,
    },
  },
  InitJoinNack: {
    version: 3,
    fields: { from, isEnding: isFlag, founder: maybe(isAddress) },
  },
  Join: { version: 2, fields: { from, ...description } },
  Welcome: {
    version: 4,
    fields: {
      ...{ from, gossip: isGossip, origins: isOrigins },
      tombstoneAgesMs: listOf(isCount, tombstonesMax),
    },
  },
  GossipStatus: { version: 2, fields: { from, to: isNode, summary: isSummary, isLost: isFlag } },
  GossipNews: {
    version: 2,
    fields: {
      ...{ from, to: isNode, summary: isSummary, since: isCounted(membersMax) },
      ...{ news: isNews, answers: isDigest },
    },
  },
  GossipEnvelope: { version: 3, fields: { from, to: isNode, gossip: isGossip } },
  ExitingConfirmed: { version: 1, fields: { from } },
  Heartbeat: { version: 1, fields: { from, sequence: isCount } },
  HeartbeatResponse: { version: 1, fields: { from, sequence: isCount } },
  GetStanding: { version: 1, fields: { from, question: isCount } },
  Standing: {
    version: 1,
    fields: {
      from,
      question: isCount,
      standing: oneOf('member', 'doubted', 'down', 'removed', 'stranger'),
    },
  },
})

/** The second check sees only what passed the first. */
function both<T>(shape: Shape, isMore: (value: T) => boolean): Shape {
  return (value) => shape(value) && isMore(value as T)
}

function areDistinct(nodes: readonly NodeId[]): boolean {
  return new Set(nodes).size === nodes.length
}

/** In order, and nothing twice. */
function isSorted<T>(list: readonly T[], compare: (a: T, b: T) => number): boolean {
  return list.every((item, index) => index === 0 || compare(list[index - 1] as T, item) < 0)
}
