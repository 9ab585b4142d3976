/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B33: Mutant = {
  why: 'A type of the field: an entity that fails is forgotten as if it had been passivated.',
  edits: [
    {
      file: 'src/sharding/shard/shard-machine.ts',
      find: `    if (entity.isStopping) {
      this.#entities.delete(entity)
      remembered.passivated`,
      replace: `    if (entity.instance > 0) {
      this.#entities.delete(entity)
      remembered.passivated`,
    },
  ],
  found: {
    by: 'whoever is remembered',
    detail: 'Porter',
    scenario: 'sharding',
    seed: 1,
    oneIn: 2,
    isSlow: true,
  },
}
