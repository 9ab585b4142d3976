/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B21: Mutant = {
  why: 'Akka.NET 7298: whoever takes a singleton over waits for the oldest member alone, and not for all that are older.',
  edits: [
    {
      file: 'src/singleton/singleton-machine.ts',
      find: '    return older.filter(({ node }) => !this.#done.has(node))',
      replace: '    return older.slice(0, 1).filter(({ node }) => !this.#done.has(node))',
    },
  ],
  found: { by: 'at most one active instance', scenario: 'spine', seed: 1, oneIn: 15, isSlow: true },
}
