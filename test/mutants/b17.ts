/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B17: Mutant = {
  why: 'Akka.Management 3407: a holder gives its lease up when one renewal fails.',
  edits: [
    {
      file: 'src/lease/lease-machine.ts',
      find: `    grant.problem = problem
    grant.renewAt = now + this.#options.renewIntervalMs / retriesPerInterval
`,
      replace: `    grant.problem = problem
    this.#lose(grant, 'expired', problem)
`,
    },
  ],
  found: { by: 'L4: a lease is not lost before its time', scenario: 'leases', seed: 3, oneIn: 3 },
}
