/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const F01: Mutant = {
  why: 'Ours, and that of every list of seeds: the first seed founds without a look at who still lives.',
  edits: [
    {
      file: 'src/cluster/founding/founding-machine.ts',
      find: '    return this.#watch.isOver || this.#watch.stillForMs(now) >= this.#stillMs',
      replace: '    return true',
    },
  ],
  found: { by: 'one founding lives', scenario: 'founding', seed: 1, oneIn: 3, isSlow: true },
}
