/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const R01: Mutant = {
  why: 'A projection moves on before its handler has ended: what fails then, or dies with its node, was never handled.',
  edits: [
    {
      file: 'src/projection/range-worker.ts',
      find: '    if (this.#isBatchReady()) return this.#handle(signal)',
      replace:
        '    if (this.#isBatchReady()) { this.#place = (this.#waiting[0] as Waiting).place(); return this.#handle(signal) }',
    },
  ],
  found: { by: 'a stored offset passes no event', scenario: 'projections', seed: 1, oneIn: 4 },
}
