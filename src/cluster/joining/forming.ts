/**
 * Whether enough members are there to begin with. It is asked once in the life of a cluster: when the first one was let in,
 * members may go and come in any number.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { neighboursOf } from '../gossip/data-center.ts'
import type { Gossip } from '../gossip/gossip.ts'
import { type Member, hasRole, notYetUp } from '../gossip/member.ts'

export interface FormingSettings {
  readonly minMembers: number
  readonly minMembersByRole: Readonly<Record<string, number>>
}

export interface MissingMembers {
  /** Undefined: of any role. */
  readonly role: string | undefined
  readonly wanted: number
  readonly there: number
}

/** With as many members as the discovery requires: so two groups that have not found each other are never two clusters. */
export function beginningWith<Settings extends FormingSettings>(
  settings: Settings,
  discovery: { readonly requiredNodes: number } | undefined,
): Settings {
  if (discovery === undefined) return settings
  return { ...settings, minMembers: Math.max(settings.minMembers, discovery.requiredNodes) }
}

/** What a cluster that is being formed waits for; empty when it need not. */
export function missingMembers(
  { members, lastUpNumber }: Pick<Gossip, 'members' | 'lastUpNumber'>,
  { minMembers, minMembersByRole }: FormingSettings,
): MissingMembers[] {
  if (lastUpNumber > 0) return []
  // Who is on its way out again does not help.
  const coming = members.filter(({ status }) => status === 'Joining')
  const wants: readonly (readonly [string | undefined, number])[] = [
    [undefined, minMembers],
    ...Object.entries(minMembersByRole).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]
  return wants
    .map(([role, wanted]) => ({ role, wanted, there: countOf(coming, role) }))
    .filter(({ wanted, there }) => there < wanted)
}

/**
 * As long as nobody of a data center has been Up, nobody can be outvoted there, and one that died while joining would keep all
 * others waiting. What others have to say of it is theirs: to them it may have come up unheard.
 */
export function isForming(gossip: Gossip, self: NodeId): boolean {
  return neighboursOf(gossip, self).every(
    ({ status, upNumber }) => status === 'Joining' || (status === 'Down' && upNumber === notYetUp),
  )
}

export function missingInWords({ role, wanted, there }: MissingMembers): string {
  const which = role === undefined ? 'minMembers' : `minMembersByRole.${role}`
  const whom = role === undefined ? 'members are' : `members with the role ${role} are`
  return `${there} of ${wanted} ${whom} there (${which})`
}

function countOf(members: readonly Member[], role: string | undefined): number {
  return members.filter((member) => hasRole(member, role)).length
}
