/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P04: Mutant = {
  why: 'Ours: the acknowledgement of an earlier attempt to move a shard counts for the present one.',
  edits: [
    {
      file: 'src/sharding/coordinator/hand-off-machine.ts',
      find: '    return epoch === placement.epoch && term === placement.term && turn === placement.turn',
      replace: '    return epoch === placement.epoch && term >= 0 && turn >= 0',
    },
  ],
  found: {
    by: 'heeds an old word',
    detail: 'an acknowledgement of',
    scenario: 'spine-moves',
    seed: 1,
    oneIn: 4,
  },
}
