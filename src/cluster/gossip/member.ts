/**
 * A node as the cluster sees it. A member only ever moves forward:
 *
 *   Joining ──▶ Up ──▶ Leaving ──▶ Exiting ──▶ Removed        Joining ──▶ Leaving
 *      └────────┴────────┴───────────┴──▶ Down ──▶ Removed
 *
 * Two records of one member merge into the one that is further along. `Removed` is never stored: a removed member is a
 * tombstone.
 */
import { assert } from '../../foundation/assert.ts'
import { type Address, type NodeId, addressOfNode, compareNodes } from '../../foundation/node-id.ts'
import { defaultAppVersion } from './app-version.ts'

export type MemberStatus = 'Joining' | 'Up' | 'Leaving' | 'Exiting' | 'Down' | 'Removed'

/** What a node says of itself. Both lists are sorted in a member. */
export interface MemberDescription {
  /** What it is for, as its user says. */
  readonly roles: readonly string[]
  /** What the runtime on it lets the others know, such as which entity types it hosts. */
  readonly attributes: readonly string[]
  /** What its application calls its version: `0.0.0` when it was told none. */
  readonly appVersion: string
  /** Where it is, for its whole life; undefined in the one that is called `default`. */
  readonly dataCenter?: string
}

export interface Member extends MemberDescription {
  readonly node: NodeId
  readonly status: MemberStatus
  /** Counts up with every member that becomes Up: smaller is older. `notYetUp` before that. */
  readonly upNumber: number
}

/** Of those that were given no other. */
export const defaultDataCenter = 'default'

export const notYetUp: number = 2 ** 31 - 1

/** Zero for one that has none yet. */
export function givenUpNumber({ upNumber }: Member): number {
  return upNumber === notYetUp ? 0 : upNumber
}

const nextStatuses: Readonly<Record<MemberStatus, readonly MemberStatus[]>> = {
  Joining: ['Up', 'Leaving', 'Down', 'Removed'],
  Up: ['Leaving', 'Down', 'Removed'],
  Leaving: ['Exiting', 'Down', 'Removed'],
  Exiting: ['Down', 'Removed'],
  Down: ['Removed'],
  Removed: [],
}

const ranks: Readonly<Record<MemberStatus, number>> = {
  Joining: 0,
  Up: 1,
  Leaving: 2,
  Exiting: 3,
  Down: 4,
  Removed: 5,
}

export function joiningMember(node: NodeId, description: Partial<MemberDescription> = {}): Member {
  const { roles = [], attributes = [], appVersion = defaultAppVersion, dataCenter } = description
  const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort()
  const lists = { roles: sorted(roles), attributes: sorted(attributes) }
  const where = dataCenter === undefined ? {} : { dataCenter }
  return { node, status: 'Joining', ...lists, appVersion, ...where, upNumber: notYetUp }
}

export function canBecome(from: MemberStatus, to: MemberStatus): boolean {
  return nextStatuses[from].includes(to)
}

/** The member in its next status. */
export function withStatus(member: Member, status: MemberStatus): Member {
  assert(
    canBecome(member.status, status),
    `${member.node} does not go from ${member.status} to ${status}`,
  )
  assert(status !== 'Up', 'a member becomes Up with its number')
  return { ...member, status }
}

export function asUp(member: Member, upNumber: number): Member {
  assert(member.status === 'Joining', `only a joining member becomes Up, ${member.node} is not`)
  assert(upNumber > 0 && upNumber < notYetUp, 'up-numbers count from 1')
  return { ...member, status: 'Up', upNumber }
}

/** One record of two: the status further along, and the age if either knows it. */
export function mergeMembers(a: Member, b: Member): Member {
  const further = ranks[a.status] >= ranks[b.status] ? a : b
  const upNumber = Math.min(a.upNumber, b.upNumber)
  return further.upNumber === upNumber ? further : { ...further, upNumber }
}

/** Whether two records of one member say the same. */
export function isSameRecord(a: Member, b: Member): boolean {
  if (a === b) return true
  if (a.status !== b.status || a.upNumber !== b.upNumber) return false
  return descriptionKeyOf(a) === descriptionKeyOf(b)
}

/** What a member says of itself, without what others say of it. */
export function descriptionOf(member: Member): MemberDescription {
  const { roles, attributes, appVersion, dataCenter } = member
  const description = { roles, attributes, appVersion }
  return dataCenter === undefined ? description : { ...description, dataCenter }
}

/** Equal for equal descriptions. */
export function descriptionKeyOf(member: Member): string {
  return JSON.stringify(descriptionOf(member))
}

export function hasRole({ roles }: Pick<Member, 'roles'>, role: string | undefined): boolean {
  return role === undefined || roles.includes(role)
}

/** The members that count for something: those with a role, with an attribute, in a data center, with all of it, or all. */
export interface MembersWith {
  readonly role?: string | undefined
  readonly attribute?: string | undefined
  /** `default` for those that are in no other. */
  readonly dataCenter?: string | undefined
}

export function isAmong(
  member: Pick<Member, 'roles' | 'attributes' | 'dataCenter'>,
  { role, attribute, dataCenter }: MembersWith,
): boolean {
  const isThere =
    dataCenter === undefined || (member.dataCenter ?? defaultDataCenter) === dataCenter
  return (
    isThere &&
    hasRole(member, role) &&
    (attribute === undefined || member.attributes.includes(attribute))
  )
}

export const rolesMax = 100
/** One per entity type, and some more. */
export const attributesMax = 1_100

/** Empty when all is well. */
export function problemsWithRoles(roles: readonly string[] = []): string[] {
  return problemsWithTexts('roles', roles, rolesMax)
}

/** Empty when all is well. Three more are kept: two for the store, and one for the process. */
export function problemsWithAttributes(attributes: readonly string[] = []): string[] {
  return problemsWithTexts('attributes', attributes, attributesMax - 3)
}

function problemsWithTexts(name: string, texts: unknown, countMax: number): string[] {
  const isGood = (text: unknown) => typeof text === 'string' && text !== '' && text.length <= 1_000
  if (Array.isArray(texts) && texts.length <= countMax && texts.every(isGood)) return []
  return [`${name} must be a list of at most ${countMax} texts, none of them empty`]
}

export function addressOfMember(member: Member): Address {
  return addressOfNode(member.node)
}

/** By address, then incarnation: the order of leadership. */
export function compareMembers(a: Member, b: Member): number {
  return compareNodes(a.node, b.node)
}

/** Oldest first: who became Up first, by address where that is equal. */
export function compareAges(a: Member, b: Member): number {
  return a.upNumber - b.upNumber || compareMembers(a, b)
}
