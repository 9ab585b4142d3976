/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P08: Mutant = {
  why: 'Ours: after a hand-off that was given up the home is told in the turn of the hand-off, and a late word of it counts again.',
  edits: [
    {
      file: 'src/sharding/coordinator/coordinator-machine.ts',
      find: `          this.#announcements.renew(effect.shard)
          this.#effects.push(...this.#announcements.announce(effect.shard))
          break`,
      replace: `          this.#effects.push(...this.#announcements.announce(effect.shard))
          break`,
    },
  ],
  found: {
    by: 'heeds an old word',
    detail: 'first moves, then is there',
    scenario: 'spine-moves',
    seed: 1,
    oneIn: 2,
  },
}
