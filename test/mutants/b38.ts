/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B38: Mutant = {
  why: 'Locks without a fence (etcd, as Jepsen found): a writer that slept past its time still writes.',
  edits: [
    {
      file: 'src/persistence/journals/fence.ts',
      find: '  if (epoch === stream.epoch) return stream',
      replace: '  if (epoch >= 0) return stream',
    },
  ],
  found: {
    by: 'nobody writes after a later claim',
    scenario: 'spine',
    seed: 124,
    oneIn: 140,
    isSlow: true,
  },
}
