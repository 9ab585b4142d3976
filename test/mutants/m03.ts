/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M03: Mutant = {
  why: 'Any member acts on convergence, and not the leader alone.',
  edits: [
    {
      file: 'src/cluster/leader-machine.ts',
      find: '    if (!this.#isLeader || !hasConverged(',
      replace: '    if (!hasConverged(',
    },
  ],
  found: { by: 'a leader acts only on convergence', scenario: 'spine', seed: 1, oneIn: 1 },
}
