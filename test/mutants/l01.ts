/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const L01: Mutant = {
  why: 'A lease counts as granted, or renewed, although nobody can tell whether the write was stored.',
  edits: [
    {
      file: 'src/lease/register-lease.ts',
      find: `      const isUnknown = !(error instanceof JournalUnavailable)
`,
      replace: `      const isUnknown = !(error instanceof JournalUnavailable)
      if (isUnknown) return { type: 'LeaseWritten', call, revision: expectedRevision + 1 }
`,
    },
  ],
  found: { by: 'S6', scenario: 'leases', seed: 7, oneIn: 6 },
}
