/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B35: Mutant = {
  why: 'Akka 22246: a coordinator that begins with a snapshot does not know yet, while it reads on, that shards without a home want one.',
  edits: [
    {
      file: 'src/sharding/coordinator/coordinator-state.ts',
      find: `  #changes = 0

  /** From`,
      replace: `  #changes = 0
  #isRestored = false

  /** From`,
    },
    {
      file: 'src/sharding/coordinator/coordinator-state.ts',
      find: `      else state.apply(event)
    }
`,
      replace: `      else state.apply(event)
    }
    state.#isRestored = false
`,
    },
    {
      file: 'src/sharding/coordinator/coordinator-state.ts',
      find: `    state.#numberOfShards = numberOfShards
`,
      replace: `    state.#numberOfShards = numberOfShards
    state.#isRestored = true
`,
    },
    {
      file: 'src/sharding/coordinator/coordinator-state.ts',
      find: `      this.#whys.delete(shard)
      this.#homeless.add(shard)
`,
      replace: `      this.#whys.delete(shard)
      if (!this.#isRestored) this.#homeless.add(shard)
`,
    },
    {
      file: 'src/sharding/coordinator/coordinator-state.ts',
      find: `    this.#homes.delete(shard)
    this.#whys.delete(shard)
    this.#homeless.add(shard)
`,
      replace: `    this.#homes.delete(shard)
    this.#whys.delete(shard)
    if (!this.#isRestored) this.#homeless.add(shard)
`,
    },
  ],
  found: {
    by: 'the scenario ends well',
    detail: 'R1',
    scenario: 'remembering',
    seed: 9,
    oneIn: 4,
    isSlow: true,
  },
}
