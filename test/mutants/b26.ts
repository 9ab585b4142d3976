/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B26: Mutant = {
  why: 'Akka 18368, Akka.NET 3252: a former incarnation that is Down is never removed, and its successor cannot join.',
  edits: [
    {
      file: 'src/cluster/gossip/leader-actions.ts',
      find: '      ? unreachable.has(node)',
      replace: '      ? unreachable.has(node) && situation.exitingConfirmed.has(node)',
    },
  ],
  found: {
    by: 'the scenario ends well',
    detail: 'the cluster is whole again',
    scenario: 'spine',
    seed: 1,
    oneIn: 6,
    isSlow: true,
  },
}
