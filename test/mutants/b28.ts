/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B28: Mutant = {
  why: 'Akka 17555: what a node has quarantined is heard as long as its connection lasts.',
  edits: [
    {
      file: 'src/remote/association.ts',
      find: `    this.#end(node, 'quarantined', 'quarantined')
`,
      replace: '',
    },
  ],
  found: {
    by: 'nothing is heard after quarantine',
    scenario: 'spine',
    seed: 1,
    oneIn: 4,
    isSlow: true,
  },
}
