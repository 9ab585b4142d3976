/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const F02: Mutant = {
  why: 'A cluster that has lost its store and the first seed goes on while that founds another one.',
  edits: [
    {
      file: 'src/cluster/founding/founding-machine.ts',
      find: '    return now - shownAt >= foundingFreezeMs(this.#options.settings)',
      replace: '    return shownAt === Infinity',
    },
  ],
  found: { by: 'one founding lives', scenario: 'founding', seed: 329, oneIn: 40, isSlow: true },
}
