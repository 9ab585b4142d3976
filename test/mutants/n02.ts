/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const N02: Mutant = {
  why: 'Ours: an interceptor that does not return the promise of the handler inside lets the next message in.',
  edits: [
    {
      file: 'src/actor/behavior/interceptor.ts',
      find: '        if (inFlight === undefined) return this.#transition(cell, answer)',
      replace:
        '        if (answer !== inFlight || !inFlight) return this.#transition(cell, answer)',
    },
  ],
  found: { by: 'one thing at a time', scenario: 'nesting', seed: 8, oneIn: 4 },
}
