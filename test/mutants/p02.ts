/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P02: Mutant = {
  why: 'Ours: the word of a coordinator counts although one of a later term has spoken.',
  edits: [
    {
      file: 'src/sharding/region/registration-machine.ts',
      find: '    return term >= this.#term',
      replace: '    return term > 0',
    },
    {
      file: 'src/sharding/region/shard-places.ts',
      find: '    if (epoch < place.epoch || term < place.term) return false',
      replace: '    if (epoch < place.epoch) return false',
    },
  ],
  found: {
    by: 'heeds an old word',
    detail: 'heeds term',
    scenario: 'spine-moves',
    seed: 8,
    oneIn: 8,
    isSlow: true,
  },
}
