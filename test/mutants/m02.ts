/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M02: Mutant = {
  why: 'The leader does not wait for those who are leaving to see what it acts upon.',
  edits: [
    {
      file: 'src/cluster/gossip/convergence.ts',
      find: `  return status === 'Up' || status === 'Leaving'`,
      replace: `  return status === 'Up'`,
    },
  ],
  found: {
    by: 'a leader acts only on convergence',
    scenario: 'founding',
    seed: 10,
    oneIn: 16,
    isSlow: true,
  },
}
