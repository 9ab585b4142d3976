/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B14: Mutant = {
  why: 'Akka 17200: allocations are lost when the coordinator moves.',
  edits: [
    {
      file: 'src/sharding/coordinator/coordinator-journal.ts',
      find: '    const state = CoordinatorState.replay(events, base?.sum)',
      replace: `    const isKept = ({ type }: Stored) => type !== 'ShardAllocated' && type !== 'ShardDeallocated'
    const state = CoordinatorState.replay(events.filter(isKept), base?.sum)`,
    },
  ],
  found: { by: 'epochs of a shard grow', scenario: 'spine', seed: 1, oneIn: 2 },
}
