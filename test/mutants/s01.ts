/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const S01: Mutant = {
  why: 'A side that the store has given up does not see it, and gives the others up in its turn: two sides go on.',
  edits: [
    {
      file: 'src/cluster/founding/founding-machine.ts',
      find: '    if (isGivenUp(record, this.#self)) return this.#givenUp()',
      replace: '',
    },
    {
      file: 'src/cluster/founding/founding-machine.ts',
      find: '    if (record === undefined || !this.#isOwn || isGivenUp(record, this.#self)) return',
      replace: '    if (record === undefined || !this.#isOwn) return',
    },
    {
      file: 'src/cluster/founding/split-decision.ts',
      find: '  if (isGivenUp(record, self)) return undefined',
      replace: '',
    },
  ],
  found: {
    by: 'the survivors are one cluster and answer',
    scenario: 'splits',
    seed: 5,
    oneIn: 5,
    isSlow: true,
  },
}
