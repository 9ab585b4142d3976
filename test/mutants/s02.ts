/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const S02: Mutant = {
  why: 'A node that has lost touch with somebody goes on while the store does not tell whether it was given up.',
  edits: [
    {
      file: 'src/cluster/downing/store-watch.ts',
      find: '    const mustFreeze = isWatching && now - freshAt > this.#times.freshMs',
      replace: '    const mustFreeze = false',
    },
  ],
  found: {
    by: 'at most one active instance',
    scenario: 'splits',
    seed: 12,
    oneIn: 20,
    isSlow: true,
  },
}
