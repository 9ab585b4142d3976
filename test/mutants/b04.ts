/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B04: Mutant = {
  why: 'Akka 22289: a shard starts what it remembers without asking the extractor of now whose they are.',
  edits: [
    {
      file: 'src/sharding/shard/shard.ts',
      find: `      const home = this.#shardOf(entityId)
      if (home === this.shard) here`,
      replace: `      const home: ShardId | undefined = this.shard
      if (home === this.shard) here`,
    },
  ],
  found: {
    by: 'active instance',
    detail: 'Porter',
    scenario: 'sharding',
    seed: 1,
    oneIn: 6,
    isSlow: true,
  },
}
