/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const L02: Mutant = {
  why: 'Whoever waits for a lease to run out trusts its own clock to the millisecond.',
  edits: [
    {
      file: 'src/lease/lease-machine.ts',
      find: `>= ttlMs * (1 + this.#options.clockDriftMax)`,
      replace: `>= ttlMs`,
    },
  ],
  found: { by: 'S1b', scenario: 'leases', seed: 2, oneIn: 80 },
}
