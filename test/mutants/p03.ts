/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P03: Mutant = {
  why: 'Ours: a region that leaves does not flush, and is gone when a message comes back to it.',
  edits: [
    {
      file: 'src/sharding/region/region-machine.ts',
      find: `      this.#perform(this.#routes.flushAll())
`,
      replace: '',
    },
  ],
  found: {
    by: 'given up without a fault',
    scenario: 'spine-moves',
    seed: 10,
    oneIn: 5,
    isSlow: true,
  },
}
