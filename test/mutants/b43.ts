/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B43: Mutant = {
  why: 'A write of which nobody knows whether it was stored counts as failed, and is made again with the next numbers.',
  edits: [
    {
      file: 'src/persistence/event-sourcing/journal-writer.ts',
      find: `    const failed = (cause: unknown): void =>
      this.#answered({ type: isRefusal(cause) ? 'Failed' : 'Unknown', batch, cause })
`,
      replace: `    const failed = (cause: unknown): void => {
      if (isRefusal(cause)) return this.#answered({ type: 'Failed', batch, cause })
      const next = expectedSequenceNr + events.length
      this.append({ type: 'Append', batch, expectedSequenceNr: next, events, deletes })
    }
`,
    },
  ],
  found: { by: 'every command takes effect once', scenario: 'spine-writes', seed: 2, oneIn: 3 },
}
