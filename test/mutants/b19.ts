/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B19: Mutant = {
  why: 'Akka 31715, Akka.NET 7379: a shard that moves does not give back its lease, and goes on to renew it.',
  edits: [
    {
      file: 'src/sharding/shard/shard-machine.ts',
      find: `    if (!this.#hasLease) return [cancelled, ...this.#finish()]
`,
      replace: `    if (this.#phase !== 'releasing') return [cancelled, ...this.#finish()]
`,
    },
  ],
  found: { by: 'every entity answers', scenario: 'sharding', seed: 1, oneIn: 3, isSlow: true },
}
