/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B10: Mutant = {
  why: 'Akka 24191, actor-ts 893: what waited for a shard is not sent when its next home is known.',
  edits: [
    {
      file: 'src/sharding/region/shard-routes.ts',
      find: `    place.wentTo = node
    return this.#releaseBy(route, shard)`,
      replace: `    place.wentTo = node
    this.#table.open(shard, route)
    return []`,
    },
  ],
  found: { by: 'no message is lost silently', scenario: 'spine', seed: 1, oneIn: 3, isSlow: true },
}
