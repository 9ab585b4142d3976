/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const N02: Mutant = {
  why: 'Ours: an actor waits for one promise at a time, and never hears of a PreRestart under an interceptor that waits too.',
  edits: [
    {
      file: 'src/actor/cell/suspension.ts',
      find: `  if (state.pending === undefined) state.pending = promise
  else (state.pendingToo ??= []).push(promise)`,
      replace: '  state.pending = promise',
    },
  ],
  found: { by: 'no letter waits for ever', scenario: 'nesting', seed: 231, oneIn: 140 },
}
