/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M04: Mutant = {
  why: 'Of two records of a member that are merged the one that is Up wins over the one that is Leaving.',
  edits: [
    {
      file: 'src/cluster/gossip/member.ts',
      find: `  Up: 1,
  Leaving: 2,
  Exiting: 3,`,
      replace: `  Up: 2,
  Leaving: 1,
  Exiting: 3,`,
    },
  ],
  found: { by: 'a member never goes backwards', scenario: 'spine', seed: 1, oneIn: 2 },
}
