/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B03: Mutant = {
  why: 'Akka.NET 8146, Akka 30604: the coordinator believes a ShardStopped of a region that is not the home any more.',
  edits: [
    {
      file: 'src/sharding/coordinator/rebalance-machine.ts',
      find: '    if (home?.region !== input.region || home.epoch !== input.epoch) return []',
      replace: '    if (home === undefined) return []',
    },
    {
      file: 'src/sharding/coordinator/rebalance-machine.ts',
      find: `      return [{ type: 'Moved', shard: input.shard, epoch: input.epoch }]`,
      replace: `      return [{ type: 'Moved', shard: input.shard, epoch: home.epoch }]`,
    },
  ],
  // Both halves of S4: taken while it runs, or started after it was taken.
  found: { by: 'shard', scenario: 'spine', seed: 3, oneIn: 14, isSlow: true },
}
