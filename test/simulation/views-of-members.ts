/** Views of members and lives, for tests of the checkers of membership. */
import type { MemberStatus } from '../../src/cluster/index.ts'
import { type Gossip, emptyGossip } from '../../src/cluster/gossip/gossip.ts'
import { type Member, asUp, joiningMember } from '../../src/cluster/gossip/member.ts'
import type { NodeId } from '../../src/foundation/node-id.ts'
import { HeldViews, type SoundViews } from '../../src/simulation/internals.ts'
import { Notebook } from './notebook.ts'

const idOf = (name: string, uid = 1): NodeId => `${name}:2552#000000000000000${uid}`
export const [a, b, c] = [idOf('a'), idOf('b'), idOf('c')]
export const nextB = idOf('b', 2)

/** Members with their numbers in the order given; the version counts one change of each, or as many as said. */
export function view(
  members: Readonly<Record<NodeId, MemberStatus>>,
  more: Partial<Gossip> & { readonly changes?: Readonly<Record<NodeId, number>> } = {},
): Gossip {
  const { changes = {}, ...rest } = more
  const nodes = Object.keys(members).sort()
  const memberIn = (node: NodeId, index: number): Member => {
    const joining = joiningMember(node)
    const status = members[node]!
    return status === 'Joining' ? joining : { ...asUp(joining, index + 1), status }
  }
  return {
    ...emptyGossip,
    members: nodes.map(memberIn),
    version: nodes.map((node) => [node, changes[node] ?? 1] as const),
    lastUpNumber: nodes.length,
    ...rest,
  }
}

/** A world of these lives, and one checker in it that is told of views. */
export function watching<Checker>(make: (findings: Notebook, views: HeldViews) => Checker) {
  const notebook = new Notebook()
  const views = new HeldViews()
  const lives = Object.entries({ [a]: 'a#1', [b]: 'b#1', [c]: 'c#1', [nextB]: 'b#2' })
  for (const [node, label] of lives) views.begins(node, label)
  return { notebook, views, checker: make(notebook, views) }
}

type OnView = Pick<SoundViews, 'viewed'>

export function told(make: (findings: Notebook, views: HeldViews) => OnView) {
  const { notebook, views, checker } = watching(make)
  const holds = (node: NodeId, held: Gossip): void =>
    checker.viewed(node, views.take(node, held), held)
  return { found: notebook.found, holds }
}
