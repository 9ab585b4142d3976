/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B12: Mutant = {
  why: 'Akka.NET 8147: a HandOff waits while the shard waits for its lease, and then nobody remembers it.',
  edits: [
    {
      file: 'src/sharding/shard/shard-machine.ts',
      find: `    if (this.#phase === 'beginning') {`,
      replace: `    if (this.#phase === 'beginning' && !this.#beginning.isLoading) return []
    if (this.#phase === 'beginning') {`,
    },
  ],
  found: { by: 'the scenario ends well', scenario: 'sharding', seed: 22, oneIn: 20, isSlow: true },
}
