/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M08: Mutant = {
  why: 'When another process is met at an address, what the one before had sent is still read.',
  edits: [
    {
      file: 'src/remote/association.ts',
      find: "    if (before !== undefined) this.#end(before, 'former-incarnation', `replaced by ${node}`)\n",
      replace: '',
    },
    {
      file: 'src/remote/association.ts',
      find: `    before?.link.close('replaced by a newer connection')`,
      replace: `    if (before?.peer === peer) before.link.close('replaced by a newer connection')`,
    },
  ],
  found: {
    by: 'no former incarnation is heard',
    scenario: 'spine',
    seed: 54,
    oneIn: 50,
    isSlow: true,
  },
}
