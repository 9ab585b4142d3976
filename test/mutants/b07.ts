/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B07: Mutant = {
  why: 'Akka 27259: a home dies in the midst of a hand-off, as one that leaves may, and its shards count as moving until the time of the hand-off is over.',
  edits: [
    {
      file: 'src/sharding/coordinator/hand-off-machine.ts',
      find: '    return region === this.placement.home ? this.#finish(true) : this.#settled(region)',
      replace: '    return region === this.placement.home ? [] : this.#settled(region)',
    },
  ],
  found: { by: 'every entity answers', scenario: 'hand-offs', seed: 2, oneIn: 3, isSlow: true },
}
