/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const S03: Mutant = {
  why: 'A side takes what it asked for as decided before the store has said so.',
  edits: [
    {
      file: 'src/cluster/downing/downing-machine.ts',
      find: '    this.#givenUp.asked(nodes, actAfterMs)',
      replace: '    this.#givenUp.asked(nodes, actAfterMs)\n    this.#givenUp.shown(nodes, now)',
    },
  ],
  found: { by: 'whoever thaws is still a member', scenario: 'splits', seed: 2, oneIn: 4 },
}
