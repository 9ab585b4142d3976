/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B16: Mutant = {
  why: 'Akka.Management 2383: the age of a lease is taken from the time of day.',
  edits: [
    {
      file: 'src/lease/register-lease.ts',
      find: `    const now = this.#environment.clock.monotonicMs()
`,
      replace: `    const now = this.#environment.clock.wallMs()
`,
    },
    {
      file: 'src/lease/register-lease.ts',
      find: `isValidAt(this.#environment.clock.monotonicMs())`,
      replace: `isValidAt(this.#environment.clock.wallMs())`,
    },
  ],
  found: { by: 'S1b', scenario: 'leases', seed: 1, oneIn: 4 },
}
