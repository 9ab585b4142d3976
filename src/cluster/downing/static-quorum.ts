/**
 * Who survives a split: a side with at least `quorumSize` members. Needs no view of the other side, so it is right also when
 * whole groups of members vanish at once; in return somebody has to say how large the cluster is. Where there are so many
 * members that two sides could have that size, a split ends all of them.
 */
import { type Member, hasRole } from '../gossip/member.ts'
import type { CleanCut, CutDecision } from './clean-cut.ts'
import type { StaticQuorumSettings } from './downing-settings.ts'
import type { DowningStrategy } from './downing-strategy.ts'
import { weighByCount } from './weighing.ts'

export function staticQuorum({
  quorumSize,
  role,
}: Pick<StaticQuorumSettings, 'quorumSize' | 'role'>): DowningStrategy {
  const membersMax = 2 * quorumSize - 1
  // One that is joining is not counted, here nor there; one that is Exiting may be gone over there.
  const counts = (member: Member): boolean =>
    (member.status === 'Up' || member.status === 'Leaving') && hasRole(member, role)
  const areTooMany = (members: readonly Member[]): boolean =>
    members.filter(counts).length > membersMax
  return {
    decide: ({ members, unreachable }: CleanCut): CutDecision => {
      if (areTooMany(members)) return 'DownAll'
      const here = members.filter((member) => counts(member) && !unreachable.has(member.node))
      return here.length >= quorumSize ? 'DownUnreachable' : 'DownReachable'
    },
    decideTangle: ({ members }) => (areTooMany(members) ? 'DownAll' : 'DownUnreachable'),
    // Those who could not reach each other may have found each other again, unheard, and be a quorum.
    areEnough: (left) => left.filter(counts).length >= quorumSize,
    // Any side that could have gone on without the node has that many; where there are fewer members, all of them.
    weigh: weighByCount(role, (voters) =>
      Math.min(voters, Math.max(quorumSize, Math.floor(voters / 2) + 1)),
    ),
    warningOf: (members) =>
      areTooMany(members)
        ? `The cluster has ${members.filter(counts).length} members and a quorum of ${quorumSize}, which is right for not more than ${membersMax}: a split would end all of them. Raise \`downing.quorumSize\``
        : undefined,
  }
}
