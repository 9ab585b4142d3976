/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B12: Mutant = {
  why: 'Akka.NET 8147: a HandOff waits while the shard waits for its lease, and then nobody remembers it.',
  edits: [
    {
      file: 'src/sharding/shard/shard-machine.ts',
      find: `    if (['new', 'acquiring', 'loading'].includes(this.#phase)) {`,
      replace: `    if (this.#phase === 'acquiring') return []
    if (['new', 'loading'].includes(this.#phase)) {`,
    },
  ],
  found: { by: 'the scenario ends well', scenario: 'sharding', seed: 22, oneIn: 20, isSlow: true },
}
