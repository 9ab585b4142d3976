/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const L03: Mutant = {
  why: 'The store does not look at the token of a claim: whoever held the lease before takes the stream from whoever holds it now.',
  edits: [
    {
      file: 'src/persistence/claim-fences.ts',
      find: `  if (grant.token < seenToken) throw new ClaimFenced(persistenceId, grant, seenToken)
`,
      replace: ``,
    },
  ],
  found: {
    by: 'nobody claims after a later grant',
    scenario: 'sharding',
    seed: 2,
    oneIn: 20,
    isSlow: true,
  },
}
