/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B24: Mutant = {
  why: 'Akka.NET 8015, where members that are gone stay among those who have seen a view: here every change begins with nobody, and this one does not.',
  edits: [
    {
      file: 'src/cluster/gossip/gossip.ts',
      find: 'return checked({ ...gossip, version: tick(gossip.version, node), seen: [] })',
      replace: 'return checked({ ...gossip, version: tick(gossip.version, node) })',
    },
  ],
  found: { by: 'a seen set names only who has seen', scenario: 'spine', seed: 1, oneIn: 1 },
}
