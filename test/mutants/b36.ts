/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B36: Mutant = {
  why: 'Orleans 5112, 9855: whoever owns the directory next answers before it has what the owner before it knew.',
  edits: [
    {
      file: 'src/sharding/coordinator/coordinator-journal.ts',
      find: '      await this.#options.journal.read(',
      replace: '      void this.#options.journal.read(',
    },
    // It would count epochs from the first one again, and whoever has heard a later one would not believe it.
    {
      file: 'src/sharding/coordinator/coordinator-journal.ts',
      find: '    const state = CoordinatorState.replay(events, base?.sum)',
      replace: `    const state = CoordinatorState.replay(events, {
      ...{ type: 'StateSummed', homeless: [], regions: [] },
      ...base?.sum,
      lastEpoch: claim.highestSequenceNr,
    })`,
    },
  ],
  found: { by: 'one active instance', scenario: 'spine-calm', seed: 2, oneIn: 2 },
}
