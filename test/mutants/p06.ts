/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P06: Mutant = {
  why: 'Ours: the batch that is open when an earlier write fails is kept, and given to the journal at the end of the turn.',
  edits: [
    {
      file: 'src/persistence/event-sourcing/write-pipeline-machine.ts',
      find: `    if (this.#open !== undefined) held.push(...this.#open.held)
    this.#open = undefined
`,
      replace: '',
    },
  ],
  found: {
    by: 'heeds an old word',
    detail: 'after a write has failed',
    scenario: 'spine-writes',
    seed: 5,
    oneIn: 3,
  },
}
