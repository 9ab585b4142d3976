/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const D02: Mutant = {
  why: 'A snapshot that was under way when its stream was ended is kept, and the next start brings back what was deleted.',
  edits: [
    {
      file: 'src/persistence/journals/fence.ts',
      find: '  return sequenceNr <= highestSequenceNr && sequenceNr > startSequenceNr',
      replace: '  return sequenceNr <= highestSequenceNr && startSequenceNr >= 0',
    },
  ],
  found: { by: 'of the present life', scenario: 'stores', seed: 1, oneIn: 3 },
}
