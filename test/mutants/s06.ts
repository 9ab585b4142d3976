/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const S06: Mutant = {
  why: 'A node that is short of CPU goes on though its own ticks are seconds late, and with them all that it hears of the others.',
  edits: [
    {
      file: 'src/cluster/detection/pause-machine.ts',
      find: '    const lateMs = now - (this.#latestTick ?? now)\n',
      replace: '    const lateMs = 0\n',
    },
  ],
  found: {
    by: 'at most one active instance',
    scenario: 'strategies',
    seed: 54,
    oneIn: 100,
    isSlow: true,
  },
}
