/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const N01: Mutant = {
  why: 'Ours: an interceptor that comes back after its turn hands its message on in the middle of another.',
  edits: [
    {
      file: 'src/actor/behavior/interceptor.ts',
      find: '      if (isOver) throw',
      replace: '      if (isOver && !isOver) throw',
    },
  ],
  found: { by: 'one thing at a time', scenario: 'nesting', seed: 1, oneIn: 5 },
}
