/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M06: Mutant = {
  why: 'Whoever has slept goes on without asking members or store whether it was given up.',
  edits: [
    {
      file: 'src/cluster/cluster-machine.ts',
      find: "        return this.#freeze('founding')",
      replace: '        return',
    },
    {
      file: 'src/cluster/detection/pause-machine.ts',
      find: `    if (outcome === 'open') return []
`,
      replace: '',
    },
  ],
  found: {
    by: 'whoever thaws is still a member',
    scenario: 'spine',
    seed: 1,
    oneIn: 10,
    isSlow: true,
  },
}
