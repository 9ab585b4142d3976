/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const S04: Mutant = {
  why: 'Whoever has slept goes on while it asks members and store whether it was given up meanwhile.',
  edits: [
    {
      file: 'src/cluster/cluster-machine.ts',
      find: "        return this.#freeze('founding')",
      replace: '        return',
    },
    {
      file: 'src/cluster/detection/pause-machine.ts',
      find: `this.#isDoubting ? [] : [{ type: 'Freeze' }]`,
      replace: '[]',
    },
  ],
  found: {
    by: 'one side of a split goes on',
    scenario: 'splits',
    seed: 11,
    oneIn: 12,
    isSlow: true,
  },
}
