/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B01: Mutant = {
  why: 'Akka 28093: a coordinator stops while its slow write is under way; its successor has recovered, and the late write lands.',
  edits: [
    {
      file: 'src/persistence/journals/fence.ts',
      find: '  if (epoch === stream.epoch) return stream',
      replace: `  if (epoch === stream.epoch || persistenceId.startsWith('$coordinator')) return stream`,
    },
    {
      file: 'src/persistence/journals/fence.ts',
      find: '  if (batch.expectedSequenceNr !== highestSequenceNr) {',
      // Only what a former one had sent off: whoever writes now is held to its numbers.
      replace: `  const isLate = batch.epoch < stream.epoch
  if (batch.expectedSequenceNr !== highestSequenceNr && !isLate) {`,
    },
  ],
  found: {
    by: 'accepted epochs never fall',
    detail: '\\$coordinator',
    scenario: 'spine',
    seed: 103,
    oneIn: 45,
    isSlow: true,
  },
}
