/** Which members may run a singleton, oldest first. Every node with the same members comes to the same answer. */
import type { Member, MembersWith } from '../cluster/index.ts'
import { compareAges, isAmong, notYetUp } from '../cluster/internals.ts'
import type { NodeId } from '../foundation/node-id.ts'

/** In service: such a member runs the singleton when it is the oldest, and the others wait for it. */
export function isInService({ status }: Member): boolean {
  return status === 'Up' || status === 'Leaving'
}

/** Those of the members that are, or once were, in service; oldest first. */
export function byAge(members: readonly Member[], which: MembersWith): Member[] {
  // A member that left before it was Up has never run anything, and has no age.
  return members
    .filter((member) => isAmong(member, which) && member.upNumber < notYetUp)
    .sort(compareAges)
}

export function oldestInService(
  members: readonly Member[],
  which: MembersWith,
): NodeId | undefined {
  return byAge(members, which).find(isInService)?.node
}
