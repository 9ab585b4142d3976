/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const S05: Mutant = {
  why: 'A lease that decides splits remembers nobody: a loser that was never told goes on when the winner has ended. We had it.',
  edits: [
    {
      file: 'src/cluster/downing/lease-arbiter.ts',
      find: '  if (note === undefined) return { ...strategy, arbiter }',
      replace: '  if (note !== null) return { ...strategy, arbiter }',
    },
  ],
  found: { by: 'one side of a split goes on', scenario: 'lease-splits', seed: 10, oneIn: 30 },
}
