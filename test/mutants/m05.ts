/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const M05: Mutant = {
  why: 'A tombstone is forgotten as soon as all have seen it, and a late word brings the member back.',
  edits: [
    {
      file: 'src/cluster/gossip/graveyard.ts',
      find: 'now - (this.#since.get(node) ?? now) >= this.#keepMs',
      replace: 'now - (this.#since.get(node) ?? now) >= 0 * this.#keepMs',
    },
  ],
  found: {
    by: 'a member never goes backwards',
    scenario: 'spine',
    seed: 1,
    oneIn: 3,
    isSlow: true,
  },
}
