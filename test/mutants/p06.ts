/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P06: Mutant = {
  why: 'Ours: what is not given to the journal yet survives a failed write, and with it the instance.',
  edits: [
    {
      file: 'src/persistence/event-sourcing/write-pipeline-machine.ts',
      find: `    if (this.#open !== undefined) held.push(...this.#open.held)
    this.#open = undefined
    this.#heldCount -= held.length`,
      replace: '    this.#heldCount -= held.length',
    },
  ],
  found: { by: 'every entity answers', scenario: 'spine', seed: 1, oneIn: 50 },
}
