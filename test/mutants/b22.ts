/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B22: Mutant = {
  why: 'Eclipse Ditto 2496: whoever takes a singleton over asks once, and gives up for good when it was not answered in time.',
  edits: [
    {
      file: 'src/singleton/singleton-machine.ts',
      find: `        return this.#phase === 'asking' ? this.#ask(this.#missing()) : []`,
      replace: `        return this.#phase === 'asking' ? this.#end() : []`,
    },
  ],
  found: { by: 'every entity answers', scenario: 'sharding', seed: 2, oneIn: 12, isSlow: true },
}
