/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B06: Mutant = {
  why: 'Akka 29034, 29093: a hand-off waits for the acknowledgement of a region that is dead, until its time is over.',
  edits: [
    // Both guards: one that dies meanwhile is not waited for any longer, and one that is known to be dead never.
    {
      file: 'src/sharding/coordinator/hand-off-machine.ts',
      find: '    return region === this.placement.home ? this.#finish(true) : this.#settled(region)',
      replace: '    return region === this.placement.home ? this.#finish(true) : []',
    },
    {
      file: 'src/sharding/coordinator/coordinator-machine.ts',
      find: `      liveRegions: () => this.#pending.liveRegions(),
      renew`,
      replace: `      liveRegions: () => this.#state.regions,
      renew`,
    },
  ],
  found: { by: 'every entity answers', scenario: 'hand-offs', seed: 1, oneIn: 5, isSlow: true },
}
