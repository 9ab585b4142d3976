/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const F04: Mutant = {
  why: 'A newcomer joins before the store knows of it: when all who are recorded have died, a cluster is founded beside it.',
  edits: [
    {
      file: 'src/cluster/founding/founding-record.ts',
      find: '  return record.isPartial || isListed(record, node)',
      replace: '  return record.isPartial || isListed(record, node) || record.number > 0',
    },
  ],
  found: { by: 'one founding lives', scenario: 'founding', seed: 1, oneIn: 100 },
}
