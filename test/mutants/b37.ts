/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B37: Mutant = {
  why: 'Akka 29185, 29718: a side that is cut off again and again goes on while the other has counted long enough to give it up.',
  edits: [
    {
      file: 'src/cluster/cluster-machine.ts',
      find: `    if (loss !== undefined) this.#freeze('silence')
    else this.#reconnect('silence', now)`,
      replace: `    this.#reconnect('silence', now)`,
    },
  ],
  found: {
    by: 'at most one active instance',
    scenario: 'spine-flaps',
    seed: 5,
    oneIn: 8,
    isSlow: true,
  },
}
