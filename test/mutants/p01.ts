/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P01: Mutant = {
  why: 'Ours: a FlushAck that answers an earlier fence ends the present one, and what is on its way back comes behind what is new.',
  edits: [
    {
      file: 'src/sharding/region/shard-routes.ts',
      find: '    const isOurs = place?.fence?.stamp === stamp && place.fence.node === from',
      replace:
        '    const isOurs = place?.fence !== undefined && stamp > 0 && place.fence.node === from',
    },
  ],
  found: {
    by: 'given up without a fault',
    scenario: 'spine-moves',
    seed: 6,
    oneIn: 12,
    isSlow: true,
  },
}
