/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B15: Mutant = {
  why: 'Akka.Management 3402, pekko-management 911: the claim counts as granted before the store has confirmed it.',
  edits: [
    {
      file: 'src/sharding/coordinator/coordinator-journal.ts',
      find: `    const claim = await journal.claim(persistenceId, writer)
`,
      replace: `    const highestSequenceNr = await journal.highestSequenceNr(persistenceId)
    const claim = await journal
      .claim(persistenceId, writer)
      .catch(() => ({ epoch: 1, highestSequenceNr }))
`,
    },
  ],
  found: { by: 'coordinator', scenario: 'spine', seed: 15, oneIn: 13 },
}
