/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M09: Mutant = {
  why: 'The first member of a data center is let in before the members of the others have seen it.',
  edits: [
    {
      file: 'src/cluster/gossip/convergence.ts',
      find: '  const isNew = neighbours !== gossip.members && !neighbours.some(isUpOrLeaving)\n',
      replace: '  const isNew = false\n',
    },
  ],
  found: { by: 'a leader acts only on convergence', scenario: 'strategies', seed: 3, oneIn: 10 },
}
