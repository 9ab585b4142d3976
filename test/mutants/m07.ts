/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M07: Mutant = {
  why: 'Who has seen a version counts for the next one that arrives.',
  edits: [
    {
      file: 'src/cluster/gossip/replica.ts',
      find: `    if (version !== this.#digest) return undefined
    const [, , , ours]`,
      replace: '    const [, , , ours]',
    },
  ],
  found: { by: 'a seen set names only who has seen', scenario: 'spine', seed: 2, oneIn: 2 },
}
