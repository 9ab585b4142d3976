/**
 * What the store that all nodes share knows of their cluster: which founding lives, who may act in it, and a counter that
 * its leader advances. A value, with the bytes it is kept as. Changed by compare-and-set alone, so that every change has
 * been made by somebody who knew the state before it.
 *
 * Invariant: whoever uses the store and is not frozen stands in the record of its own founding, or that is `isPartial`.
 */
import {
  isCount,
  isFlag,
  isNumber,
  isText,
  listOf,
  maybe,
  recordOf,
} from '../../foundation/shape.ts'
import type { Shape } from '../../foundation/shape.ts'
import { type Address, type NodeId, addressOfNode, isNodeId } from '../../foundation/node-id.ts'
import { ValueCodec } from '../../serialization/internals.ts'

/** One that may act. `identity` is that of its process, where others can prove by it that it has ended. */
export interface RecordedMember {
  readonly node: NodeId
  readonly identity?: string | undefined
  /** Undefined in the default one. */
  readonly dataCenter?: string | undefined
}

export interface FoundingRecord {
  /** Grows by one with each founding of this cluster name. */
  readonly number: number
  /** Names the founding: the node, in this one life, that founded the cluster. */
  readonly founder: NodeId
  /** Those that may still act. Each has put itself there; none are left when the founding has ended. */
  readonly members: readonly RecordedMember[]
  /** There were once too many members to list: nobody can tell from the list that all have ended. */
  readonly isPartial: boolean
  /** Grows while the founding lives. */
  readonly counter: number
  /** Its members have frozen before it has stood still for so long. Whoever was set to wait less waits that long too. */
  readonly stillMs: number
  /** Those whom the cluster has given up, the latest last. Whoever stands there acts no more, and ends when it sees it. */
  readonly givenUp: readonly NodeId[]
  /** The smaller side of a split is about to have these given up, if nobody comes before it. */
  readonly claim?: SplitClaim | undefined
}

export interface SplitClaim {
  readonly by: NodeId
  readonly nodes: readonly NodeId[]
}

/** So many fit into a register with room to spare. */
const recordedMembersMax = 200

/**
 * So many letters of names of those who were given up are kept beside the members. The oldest are forgotten: by then they have
 * ended, or have slept through the end of hundreds of others.
 */
const givenUpLettersMax = 20_000
export const givenUpMax = 500

const formVersion = 1
const identityMax = 200

const isNode: Shape = (value) => isNodeId(value)
const isShortText: Shape = (value) => isText(value) && (value as string).length <= identityMax

const isStored = recordOf({
  version: (value) => value === formVersion,
  number: (value) => isCount(value) && (value as number) > 0,
  founder: isNode,
  members: listOf(
    recordOf({ node: isNode, identity: maybe(isShortText), dataCenter: maybe(isShortText) }),
    recordedMembersMax,
  ),
  isPartial: isFlag,
  counter: isCount,
  stillMs: isNumber,
  givenUp: maybe(listOf(isNode, givenUpMax)),
  claim: maybe(recordOf({ by: isNode, nodes: listOf(isNode, givenUpMax) })),
})

/** As it stands there: what came later may be missing. */
type Stored = Omit<FoundingRecord, 'givenUp'> & Partial<Pick<FoundingRecord, 'givenUp'>>

export function bytesOfRecord({ givenUp, ...record }: FoundingRecord): Uint8Array {
  const codec = new ValueCodec({ use: 'stored' })
  const all = { version: formVersion, ...record, ...(givenUp.length > 0 && { givenUp }) }
  return codec.encode(all, 'record of the founding')
}

/** Undefined when it is none that this version of Sherd can read. */
export function recordOfBytes(bytes: Uint8Array): FoundingRecord | undefined {
  const value = decoded(bytes)
  if (!isStored(value)) return undefined
  const { number, founder, members, isPartial, counter, stillMs, givenUp = [] } = value as Stored
  const { claim } = value as Stored
  const plain = { number, founder, members, isPartial, counter, stillMs, givenUp }
  return claim === undefined ? plain : { ...plain, claim: { by: claim.by, nodes: claim.nodes } }
}

function decoded(bytes: Uint8Array): unknown {
  try {
    return new ValueCodec({ use: 'stored' }).decode(Buffer.from(bytes))
  } catch {
    return undefined
  }
}

/** The next founding after what was there, with nobody in it but this one. */
export function nextFounding(
  before: FoundingRecord | undefined,
  by: { readonly founder: NodeId; readonly member: RecordedMember; readonly stillMs: number },
): FoundingRecord {
  const { founder, member, stillMs } = by
  const number = (before?.number ?? 0) + 1
  const begins = { members: [member], isPartial: false, counter: 0, givenUp: [] }
  return { number, founder, stillMs, ...begins }
}

export function isListed({ members }: Pick<FoundingRecord, 'members'>, node: NodeId): boolean {
  return members.some((member) => member.node === node)
}

/** Whether this node may act as far as the record goes. */
export function isRecorded(record: FoundingRecord, node: NodeId): boolean {
  return record.isPartial || isListed(record, node)
}

/** Whether a later life at the same address has put itself in behind it. */
export function isReplaced({ members }: FoundingRecord, node: NodeId): boolean {
  const latest = members.findLast((each) => addressOfNode(each.node) === addressOfNode(node))
  return latest !== undefined && latest.node !== node && isListed({ members }, node)
}

export function withMember(record: FoundingRecord, member: RecordedMember): FoundingRecord {
  if (isListed(record, member.node)) return record
  if (record.members.length >= recordedMembersMax) return { ...record, isPartial: true }
  return { ...record, members: [...record.members, member] }
}

export function withoutMembers(
  record: FoundingRecord,
  isGone: (node: NodeId) => boolean,
): FoundingRecord {
  const members = record.members.filter(({ node }) => !isGone(node))
  return members.length === record.members.length ? record : { ...record, members }
}

export function isGivenUp({ givenUp }: FoundingRecord, node: NodeId): boolean {
  return givenUp.includes(node)
}

/** With those besides, or as many of them as there is room for. */
export function withGivenUp(record: FoundingRecord, nodes: readonly NodeId[]): FoundingRecord {
  return { ...record, givenUp: withMoreGivenUp(record.givenUp, nodes) }
}

/** The same for the list alone. */
export function withMoreGivenUp(before: readonly NodeId[], nodes: readonly NodeId[]): NodeId[] {
  const news = nodes.filter((node) => !before.includes(node))
  let letters = 0
  const fits = (node: NodeId): boolean => (letters += node.length) <= givenUpLettersMax
  const added = news.slice(0, givenUpMax).filter(fits)
  const kept = [...before]
    .reverse()
    .slice(0, givenUpMax - added.length)
    .filter(fits)
  return [...kept.reverse(), ...added]
}

/** With that claim in place of the one that stood there. A claim to more than there is room for is one to the first of them. */
export function withClaim(given: FoundingRecord, claim: SplitClaim | undefined): FoundingRecord {
  const { claim: former, ...record } = given
  if (claim === undefined) return former === undefined ? given : record
  const { givenUp: nodes } = withGivenUp({ ...record, givenUp: [] }, claim.nodes)
  return { ...record, claim: { by: claim.by, nodes } }
}

/** Nobody is left who could act. */
export function hasEnded({ members, isPartial }: FoundingRecord): boolean {
  return members.length === 0 && !isPartial
}

/** Whether every member has ended, proven by its process. */
export function areAllGone(
  { members, isPartial }: FoundingRecord,
  isGone: (identity: string) => boolean,
): boolean {
  return !isPartial && members.every(({ identity }) => identity !== undefined && isGone(identity))
}

export function addressesIn({ members }: FoundingRecord): Address[] {
  return [...new Set(members.map(({ node }) => addressOfNode(node)))]
}

/** As much of an identity as the record takes; one that is longer proves nothing. */
export function shownIdentity(identity: string | undefined): string | undefined {
  return identity !== undefined && identity.length <= identityMax ? identity : undefined
}
