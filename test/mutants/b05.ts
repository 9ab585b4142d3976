/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B05: Mutant = {
  why: 'Akka 29131: shards are given to a region whose node has been removed.',
  edits: [
    {
      file: 'src/sharding/coordinator/coordinator-machine.ts',
      find: `    for (const region of this.#pending.gone(cluster.members)) this.#die(region)
`,
      replace: '',
    },
    {
      file: 'src/sharding/coordinator/coordinator-machine.ts',
      find: `    if (status === undefined || status === 'Down') return false
`,
      replace: `    if (status === 'Down') return false
`,
    },
  ],
  // The home it is told of is a former life of its own: an assertion of regions, long before a call waits in vain.
  found: {
    by: 'no error goes unnoticed',
    detail: 'is another node',
    scenario: 'spine',
    seed: 9,
    oneIn: 2,
  },
}
