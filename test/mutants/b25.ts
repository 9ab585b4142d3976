/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B25: Mutant = {
  why: 'Akka 23318: the changes of members that are gone are counted for ever.',
  edits: [
    {
      file: 'src/cluster/gossip/gossip.ts',
      find: '    version: pruneClock(gossip.version, nodes),',
      replace: '    version: gossip.version,',
    },
    {
      file: 'src/cluster/gossip/gossip.ts',
      find: '    version: pruneClock(mergeClocks(a.version, b.version), gone),',
      replace: '    version: mergeClocks(a.version, b.version),',
    },
    {
      file: 'src/cluster/gossip/gossip.ts',
      find: `  if (!gossip.version.every(([node]) => isMember(node))) return 'a stranger is in the version'
`,
      replace: '',
    },
    {
      file: 'src/cluster/gossip/news-merge.ts',
      find: '  return merged.every(isMember) ? merged : merged.filter(isMember)',
      replace: '  return merged',
    },
  ],
  found: { by: 'a view is about its members', scenario: 'spine', seed: 1, oneIn: 2 },
}
