/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B41: Mutant = {
  why: 'An async handler goes on after its entity was stopped, and what it persists then is given to the store.',
  edits: [
    {
      file: 'src/persistence/event-sourcing/event-sourced-instance.ts',
      find: `    if (this.#phase !== 'running') return this.#lost(command)
    const work = this.#begin()
    if (handling === 'stash')`,
      replace: `    const work = this.#begin()
    if (handling === 'stash')`,
    },
  ],
  found: {
    by: 'an entity that has stopped stores nothing',
    scenario: 'spine',
    seed: 11,
    oneIn: 12,
  },
}
