/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B43: Mutant = {
  why: 'A write of which nobody knows whether it was stored counts as failed, and is made again with the next numbers.',
  edits: [
    {
      file: 'src/persistence/event-sourcing/journal-writer.ts',
      find: `        (cause: unknown) => pending.failedLater(cause),
`,
      replace: `        (cause: unknown) => {
          if (isRefusal(cause)) return pending.failedLater(cause)
          this.append({ ...append, expectedSequenceNr: expectedSequenceNr + events.length })
        },
`,
    },
  ],
  found: { by: 'every command takes effect once', scenario: 'spine-writes', seed: 2, oneIn: 3 },
}
