/** Views of splits as the tables of the acceptance catalogue write them (V-17), and what becomes of them. */
import { type NodeId, nodeIdOf } from '../../src/foundation/node-id.ts'
import type { DowningStrategy } from '../../src/cluster/downing/downing-strategy.ts'
import {
  isPending,
  judge,
  type JudgeOptions,
  type Judgement,
  type Verdict,
} from '../../src/cluster/downing/judgement.ts'
import type { SplitView } from '../../src/cluster/downing/split-view.ts'
import { type Member, type MemberStatus, notYetUp } from '../../src/cluster/gossip/member.ts'

const rolesOf: Readonly<Record<string, readonly string[]>> = {
  A: ['3'],
  B: ['1', '3'],
  C: ['2'],
  D: ['1', '2', '3'],
}
const upNumbers: Readonly<Record<string, number>> = { A: 5, B: 4, C: 3, D: 2, E: 1, F: 5, G: 6 }
const marks: Readonly<Record<string, MemberStatus>> = {
  j: 'Joining',
  l: 'Leaving',
  x: 'Exiting',
  d: 'Down',
}

export const id = (name: string): NodeId => nodeIdOf(`${name.toLowerCase()}:1`, 1n)

/** As in `ABD`, in the order of the letters. */
export function names(nodes: Iterable<NodeId>): string {
  return [...nodes]
    .map((node) => node[0]!.toUpperCase())
    .sort()
    .join('')
}

/** Members as in `AB Cj`; a small letter after a name is its status. */
export function membersIn(text: string, attributes: readonly string[] = []): Member[] {
  return [...text.matchAll(/([A-Z])([jlxd]?)/g)].map(([, name, mark]) => ({
    node: id(name!),
    status: marks[mark!] ?? 'Up',
    roles: rolesOf[name!] ?? [],
    attributes,
    appVersion: '1.0.0',
    upNumber: mark === 'j' ? notYetUp : (upNumbers[name!] ?? 7),
  }))
}

/** What one side sees: `here|there`, in a clean split in which each here cannot reach each there. */
export function side(text: string, attributes: readonly string[] = []): SplitView {
  const sides = text.split('|').map((each) => membersIn(each, attributes))
  const [here, there] = sides as [Member[], Member[]]
  const cut = there.map(({ node }) => node)
  return {
    members: [...here, ...there],
    unreachable: new Set(cut),
    records: here.flatMap(({ node: observer }) =>
      cut.map((subject) => ({ observer, subject, status: 'Unreachable' as const })),
    ),
    seenBy: new Set(here.map(({ node }) => node)),
  }
}

/** A tangle: `A>B` for A cannot reach B. */
export function tangle(
  members: string,
  records: string,
  seenBy = '',
  attributes: readonly string[] = [],
): SplitView {
  const pairs = records.split(' ').filter((word) => word !== '')
  const list = pairs.map(([observer, , subject]) => ({
    observer: id(observer!),
    subject: id(subject!),
    status: 'Unreachable' as const,
  }))
  return {
    members: membersIn(members, attributes),
    unreachable: new Set(list.map(({ subject }) => subject)),
    records: list,
    seenBy: new Set(seenBy.split('').map(id)),
  }
}

export function judged(
  view: SplitView,
  strategy: DowningStrategy,
  options: Partial<JudgeOptions> = {},
): Judgement {
  const plain = { role: undefined, indirectlyConnectedShareMax: undefined }
  return judge(view, { ...plain, ...options, strategy })
}

/** By a strategy that has no questions, in words: `Reachable AB` for all of this side, which are A and B. */
export function decided(
  view: SplitView,
  strategy: DowningStrategy,
  options: Partial<JudgeOptions> = {},
): string {
  return inWords(judged(view, strategy, options) as Verdict)
}

function inWords({ decision, nodes }: Verdict): string {
  return `${decision.replace('Down', '')} ${names(nodes)}`.trim()
}

/** What an arbiter is asked, when, and what follows if it is granted and if it is not. */
export function asked(view: SplitView, strategy: DowningStrategy): string {
  const judgement = judged(view, strategy)
  if (!isPending(judgement)) return inWords(judgement)
  const { askAfterMs, verdictBy } = judgement
  const [granted, refused] = (['DownUnreachable', 'DownReachable'] as const).map((decision) =>
    names(verdictBy(decision).nodes),
  )
  return `after ${askAfterMs}: ${granted}, refused: ${refused}`
}
