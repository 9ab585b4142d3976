/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const D01: Mutant = {
  why: 'Whoever deletes old snapshots deletes the newest with them, although the events before it are gone.',
  edits: [
    {
      file: 'src/persistence/event-sourcing/retention.ts',
      find: '    ? { eventsTo: upTo, snapshotsTo: Math.max(0, upTo - 1) }',
      replace: '    ? { eventsTo: upTo, snapshotsTo: newest }',
    },
  ],
  found: { by: 'what is deleted is in a snapshot', scenario: 'stores', seed: 3, oneIn: 4 },
}
