/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B38: Mutant = {
  why: 'Locks without a fence (etcd, as Jepsen found): a writer that slept past its time still writes.',
  edits: [
    {
      file: 'src/persistence/journals/fence.ts',
      find: '  if (batch.epoch < stream.epoch) {',
      replace: '  if (batch.epoch < 0) {',
    },
  ],
  found: {
    by: 'nobody writes after a later claim',
    scenario: 'spine',
    seed: 42,
    oneIn: 100,
    isSlow: true,
  },
}
