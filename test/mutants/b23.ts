/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B23: Mutant = {
  why: 'Akka.NET 8467: a merge keeps a member that was removed, since a peer that lags behind still has it.',
  edits: [
    {
      file: 'src/cluster/gossip/news-merge.ts',
      find: `  for (const [theirs, origin] of fresh(findings, telling.news.members)) {
    if (buried.has(theirs.node)) continue`,
      replace: '  for (const [theirs, origin] of telling.news.members) {',
    },
    {
      file: 'src/cluster/gossip/news-merge.ts',
      find: '  const listed = changed.length === 0 ? ours.members : withMembers(ours.members, changed)',
      replace: `  const kept = new Set(changed.map(({ node }) => node))
  const listed = changed.length === 0 ? ours.members : withMembers(ours.members, changed)`,
    },
    {
      file: 'src/cluster/gossip/news-merge.ts',
      find: `    tombstones === ours.tombstones ? listed : listed.filter(({ node }) => !buried.has(node))
`,
      replace: `    tombstones === ours.tombstones
      ? listed
      : listed.filter(({ node }) => !buried.has(node) || kept.has(node))
`,
    },
    {
      file: 'src/cluster/gossip/news-merge.ts',
      find: `    version,
    tombstones,
`,
      replace: `    version,
    tombstones: tombstones.filter((node) => !kept.has(node)),
`,
    },
  ],
  found: {
    by: 'a removed member stays removed',
    scenario: 'spine',
    seed: 1,
    oneIn: 20,
    isSlow: true,
  },
}
