/**
 * Whether the members of the other side have lost touch with every member of this one. Then they have frozen, if theirs is the
 * smaller side: they hear from nobody here. One that only some of us cannot reach hears the others, takes itself for one of the
 * majority, and goes on. In a view that looks the same: whoever lost its link to a peer holds what that peer says for old news
 * (`current-view.ts`), and so a broken pair for a clean cut.
 *
 * Only an answer counts as a sign of life, and it needs both directions of a link: so whoever is lost by one has lost that one.
 * Everybody here must also have seen what the others of us say: then nobody vouches for a member that comes back to it alone.
 */
import type { NodeId } from '../../foundation/node-id.ts'
import type { SplitView } from './split-view.ts'

export function isLostByAll({ members, unreachable, records, seenBy }: SplitView): boolean {
  const lostBy = new Map<NodeId, Set<NodeId>>()
  for (const { observer, subject } of records) {
    const observers = lostBy.get(subject)
    if (observers === undefined) lostBy.set(subject, new Set([observer]))
    else observers.add(observer)
  }
  // One that is Exiting is not listened to, so what it reaches is not known: it counts as reaching everybody.
  const here = members.filter(({ node, status }) => status !== 'Down' && !unreachable.has(node))
  return (
    here.every(({ node }) => seenBy.has(node)) &&
    [...unreachable].every((lost) => here.every(({ node }) => lostBy.get(lost)?.has(node)))
  )
}
