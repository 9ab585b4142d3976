/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B42: Mutant = {
  why: 'Akka sends no flush behind the last message of a route: one on a slow link comes to the former home too late.',
  edits: [
    {
      file: 'src/sharding/region/shard-routes.ts',
      find: `    const fence = { node: route.node, stamp: route.stamp }
    this.#places.fence(shard, place, fence)
    return [flushTo(shard, fence)]`,
      replace: '    return place.fence === undefined ? [] : []',
    },
  ],
  // Without any fault: what explains a loss must have happened.
  found: { by: 'given up without a fault', scenario: 'spine-moves', seed: 1, oneIn: 2 },
}
