/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B34: Mutant = {
  why: 'Akka 22868, 21892: shards that had a home get one again only when somebody sends them a message.',
  edits: [
    {
      file: 'src/sharding/coordinator/open-questions.ts',
      find: `    const wanted = new Set(this.#isPreparing() ? [] : this.#state.homeless)
`,
      replace: `    const wanted = new Set<ShardId>()
`,
    },
  ],
  found: { by: 'whoever is remembered', scenario: 'sharding', seed: 1, oneIn: 2, isSlow: true },
}
