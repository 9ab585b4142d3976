/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P05: Mutant = {
  why: 'Ours: a node that a majority does not answer freezes only after four heartbeats, when the others may have gone on.',
  edits: [
    {
      file: 'src/cluster/downing/silent-members.ts',
      find: '  return 2 * heartbeatIntervalMs',
      replace: '  return 4 * heartbeatIntervalMs',
    },
  ],
  found: { by: 'one active instance', scenario: 'spine-flaps', seed: 26, oneIn: 26, isSlow: true },
}
