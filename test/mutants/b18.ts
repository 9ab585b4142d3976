/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B18: Mutant = {
  why: 'Akka.Management 3418: an earlier write of the holder, of which it heard nothing, counts as that of another.',
  edits: [
    {
      file: 'src/lease/lease-machine.ts',
      find: `    grant.isInDoubt ||= isInDoubt
`,
      replace: '',
    },
    {
      file: 'src/lease/lease-machine.ts',
      find: `        // Perhaps by an earlier renewal of its own.
        return this.#read(now)
`,
      replace: `        return this.#lose(grant, 'taken', 'another has written')
`,
    },
  ],
  found: { by: 'L4: a lease that was taken', scenario: 'leases', seed: 3, oneIn: 3 },
}
