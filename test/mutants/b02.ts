/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B02: Mutant = {
  why: 'Akka 17955: the journal overwrites or adds where a number is taken, instead of refusing.',
  edits: [
    {
      file: 'src/persistence/journals/fence.ts',
      find: '  if (batch.expectedSequenceNr !== highestSequenceNr) {',
      replace: '  if (batch.expectedSequenceNr > highestSequenceNr + 1_000_000) {',
    },
  ],
  found: { by: 'numbers are consecutive', scenario: 'spine', seed: 10, oneIn: 10, isSlow: true },
}
