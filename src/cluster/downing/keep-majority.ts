/**
 * Who survives a split: the side with more members; of two equal sides the one with the lowest address. Where members may
 * have come in or gone on the other side meanwhile, so that it may count otherwise, the answer is to down everybody.
 */
import { type Member, hasRole } from '../gossip/member.ts'
import { type CleanCut, type CutDecision, isDownable, keepLowest } from './clean-cut.ts'
import type { KeepMajoritySettings } from './downing-settings.ts'
import type { DowningStrategy } from './downing-strategy.ts'
import { majorityOf, weighByCount } from './weighing.ts'

export function keepMajority({ role }: Pick<KeepMajoritySettings, 'role'>): DowningStrategy {
  // They outvote any side that could have removed the node.
  return { decide: (cut) => decideBySize(cut, role), weigh: weighByCount(role, majorityOf) }
}

function decideBySize({ members, unreachable }: CleanCut, role: string | undefined): CutDecision {
  const eligible = members.filter((member) => isDownable(member) && hasRole(member, role))
  const settled = eligible.filter(({ status }) => status !== 'Joining')
  if (settled.length === 0) return 'DownAll'
  const isCutOff = ({ node }: Member) => unreachable.has(node)
  const isHere = (member: Member) => !isCutOff(member)
  const keep = (here: readonly Member[], there: readonly Member[], all: readonly Member[]) =>
    here.length === there.length
      ? keepLowest(all, unreachable)
      : here.length > there.length
        ? 'DownUnreachable'
        : 'DownReachable'
  const plain = keep(settled.filter(isHere), settled.filter(isCutOff), settled)
  if (plain === 'DownReachable') return plain

  // Over there a joining member may be Up by now, and here a leaving one may count as Exiting to them. One that we have
  // downed may be alive and well among them, as long as not everybody has heard of it; then it would be removed.
  const staying = settled.filter(({ status }) => status === 'Up')
  if (staying.length === 0) return 'DownAll'
  const downed = members.filter((m) => m.status === 'Down' && hasRole(m, role) && isCutOff(m))
  const there = [...eligible.filter(isCutOff), ...downed]
  const cautious = keep(staying.filter(isHere), there, [...staying, ...downed])
  return cautious === plain ? plain : 'DownAll'
}
