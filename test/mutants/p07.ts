/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const P07: Mutant = {
  why: 'Ours: a singleton starts beside one on a node that leaves and has not ended it.',
  edits: [
    {
      file: 'src/singleton/singleton-machine.ts',
      find: '    return older.filter(({ node }) => !this.#done.has(node))',
      replace:
        '    return older.filter((member) => isInService(member) && !this.#done.has(member.node))',
    },
  ],
  found: {
    by: 'one active instance',
    detail: 'Singleton',
    scenario: 'spine-calm',
    seed: 1,
    oneIn: 4,
    isSlow: true,
  },
}
