/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B40: Mutant = {
  why: 'A lease ends by a timer alone, and not by a look at the clock when it is used.',
  edits: [
    {
      file: 'src/lease/lease-machine.ts',
      find: `    return this.#grant !== undefined && now < this.#grant.deadline
`,
      replace: `    return this.#grant !== undefined && now > 0
`,
    },
  ],
  found: { by: 'S1b', scenario: 'leases', seed: 8, oneIn: 8 },
}
