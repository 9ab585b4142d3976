/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B09: Mutant = {
  why: 'Akka.NET 8501: a region goes on sending to a shard that it has told to stop, and what comes there then is gone without a word.',
  edits: [
    // All three guards: BeginHandOff closes the route, and HandOff once more; and a shard that stops wants no message.
    {
      file: 'src/sharding/region/shard-routes.ts',
      find: `    this.#table.close(shard)
    if (route?.node === undefined) return []
    const fence`,
      replace: `    if (route?.node === undefined) return []
    this.#table.close(shard)
    const fence`,
    },
    {
      file: 'src/sharding/region/region-machine.ts',
      find: `    this.#perform(this.#routes.stopServing(word.shard))
    this.#perform(this.#hosted.handOff(word))`,
      replace: '    this.#perform(this.#hosted.handOff(word))',
    },
    {
      file: 'src/sharding/shard/shard-machine.ts',
      find: `    assert(this.#phase === 'serving', 'the region sends nothing to a shard that stops')`,
      replace: `    if (this.#phase !== 'serving') return []`,
    },
  ],
  found: { by: 'no message is lost silently', scenario: 'spine-moves', seed: 1, oneIn: 3 },
}
