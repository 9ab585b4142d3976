/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B11: Mutant = {
  why: 'Akka.NET 7500, 8055: ShardStopped comes when nobody waits for it any more, and is not heard.',
  edits: [
    {
      file: 'src/sharding/coordinator/rebalance-machine.ts',
      find: `      return [{ type: 'Moved', shard: input.shard, epoch: input.epoch }]`,
      replace: '      return []',
    },
  ],
  found: { by: 'time goes on', scenario: 'spine-moves', seed: 1, oneIn: 8, isSlow: true },
}
