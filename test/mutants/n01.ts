/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const N01: Mutant = {
  why: 'Ours: an interceptor that a stopping actor gave up hands its message on in the middle of an async PostStop.',
  edits: [
    {
      file: 'src/actor/behavior/relay.ts',
      find: '    const isGivenUp = isPostStopUnderWay(cell) && !this.#isPostStop',
      replace: '    const isGivenUp = false',
    },
  ],
  found: { by: 'one thing at a time', scenario: 'nesting', seed: 122, oneIn: 180 },
}
