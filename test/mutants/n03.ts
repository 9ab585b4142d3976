/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const N03: Mutant = {
  why: 'Ours: what a supervisor held for its restart is gone without a word when an interceptor puts another behavior there.',
  edits: [
    {
      file: 'src/actor/behavior/interceptor.ts',
      find: `    if (before.kind === 'wrapped' && !isPartOf(before, inner)) dropHeld(before, cell)
`,
      replace: '',
    },
  ],
  found: {
    by: 'handled once or lost',
    detail: 'has vanished',
    scenario: 'nesting',
    seed: 171,
    oneIn: 140,
  },
}
