/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const F03: Mutant = {
  why: 'A node that slept goes on by the word of others who slept as well, without a look at the store.',
  edits: [
    {
      file: 'src/cluster/founding/founding-machine.ts',
      find: '    this.#doubtsSince = now\n',
      replace: '',
    },
  ],
  found: { by: 'one founding lives', scenario: 'founding', seed: 4, oneIn: 20 },
}
