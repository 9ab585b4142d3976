/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M01: Mutant = {
  why: 'A list of all members that have seen a view is read as one of nobody.',
  edits: [
    {
      file: 'src/cluster/gossip/seen-marks.ts',
      find: 'isFew ? forms.seen : forms.unseen',
      replace: 'forms.seen',
    },
  ],
  found: { by: 'views converge', scenario: 'spine', seed: 1, oneIn: 20, isSlow: true },
}
