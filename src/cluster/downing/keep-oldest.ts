/**
 * Who survives a split: the side of the oldest member, where singletons live. With `downIfAlone` that is turned round for an
 * oldest that is all alone while others are not, so that its crash does not end everybody. Where members may have come or
 * gone on the other side meanwhile, so that it may decide otherwise, the answer is to down everybody.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import { type Member, compareAges, hasRole, notYetUp } from '../gossip/member.ts'
import { type CleanCut, type CutDecision, isDownable } from './clean-cut.ts'
import type { KeepOldestSettings } from './downing-settings.ts'
import type { DowningStrategy, Poll } from './downing-strategy.ts'

type Rule = Pick<KeepOldestSettings, 'downIfAlone' | 'role'>

export function keepOldest(rule: Rule): DowningStrategy {
  return {
    decide: (cut) => decideByAge(cut, rule),
    weigh: (poll) => weighByAge(poll, rule),
    decisiveOf: (members) => {
      const settled = settledOf(members, rule)
      return settled.length === 0 ? undefined : oldestOf(settled).node
    },
  }
}

function settledOf(members: readonly Member[], { role }: Rule): readonly Member[] {
  const eligible = members.filter((member) => isDownable(member) && hasRole(member, role))
  return eligible.filter(({ status }) => status !== 'Joining')
}

function decideByAge({ members, unreachable }: CleanCut, rule: Rule): CutDecision {
  const settled = settledOf(members, rule)
  if (settled.length === 0) return 'DownAll'
  const plain = keep(settled, unreachable, rule)
  if (plain === 'DownReachable') return plain

  // Over there a leaving member may be Exiting by now and a joining one Up; one that we have downed may live among them, as
  // long as not everybody has heard of it.
  const mayBeThere = ({ node, status, upNumber }: Member): boolean =>
    unreachable.has(node) &&
    ((status === 'Joining' && rule.downIfAlone) || (status === 'Down' && upNumber < notYetUp))
  const cautious = members.filter(
    (member) => hasRole(member, rule.role) && (member.status === 'Up' || mayBeThere(member)),
  )
  if (cautious.length === 0) return 'DownAll'
  return keep(cautious, unreachable, rule) === plain ? plain : 'DownAll'
}

function keep(
  members: readonly Member[],
  unreachable: ReadonlySet<NodeId>,
  { downIfAlone }: Rule,
): CutDecision {
  const oldest = oldestOf(members)
  const there = members.filter(({ node }) => unreachable.has(node)).length
  const here = members.length - there
  const isHere = !unreachable.has(oldest.node)
  const [beside, others] = isHere ? [here, there] : [there, here]
  const goesAlone = downIfAlone && beside === 1 && others >= 2
  return isHere === goesAlone ? 'DownReachable' : 'DownUnreachable'
}

function oldestOf(members: readonly Member[]): Member {
  return members.reduce((old, member) => (compareAges(member, old) < 0 ? member : old))
}

/** Enough have vouched when no side could have gone on without all of them and the node. */
function weighByAge(
  { self, electorate, answered, left }: Poll,
  { downIfAlone, role }: Rule,
): ReturnType<DowningStrategy['weigh']> {
  const voters = electorate.filter((member) => hasRole(member, role))
  if (voters.length === 0) return 'vouched'
  const oldest = oldestOf(voters).node
  const areEnough = (nodes: ReadonlySet<NodeId>): boolean => {
    const side = voters.filter(({ node }) => node === self || nodes.has(node))
    const isOldestHere = side.some(({ node }) => node === oldest)
    // The oldest alone may have been given up by two others; all others together have given up an oldest that is alone.
    if (isOldestHere) return !downIfAlone || side.length > 1 || voters.length <= 2
    return downIfAlone && side.length > 1 && side.length === voters.length - 1
  }
  return areEnough(answered) ? 'vouched' : areEnough(left) ? 'open' : 'hopeless'
}
