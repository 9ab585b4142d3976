/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const D03: Mutant = {
  why: 'A recovery begins with a snapshot and passes over the first event behind it.',
  edits: [
    {
      file: 'src/persistence/event-sourcing/recovery.ts',
      find: '      const first = start.sequenceNr + 1\n',
      replace: '      const first = start.sequenceNr + (start.isSnapshot ? 2 : 1)\n',
    },
  ],
  found: { by: 'replay of its complete history', scenario: 'stores', seed: 2, oneIn: 3 },
}
