/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B20: Mutant = {
  why: 'Akka.NET 7196: who is the oldest is told by the version of the application and the address, so a singleton moves when a node joins.',
  edits: [
    {
      file: 'src/singleton/oldest.ts',
      find: `import { compareAges, isAmong, notYetUp } from '../cluster/internals.ts'`,
      replace: `import { compareAppVersions, isAmong, notYetUp } from '../cluster/internals.ts'`,
    },
    {
      file: 'src/singleton/oldest.ts',
      find: '.sort(compareAges)',
      replace:
        '.sort((a, b) => compareAppVersions(b.appVersion, a.appVersion) || (a.node < b.node ? -1 : 1))',
    },
  ],
  found: { by: 'at most one active instance', scenario: 'spine', seed: 2, oneIn: 4, isSlow: true },
}
