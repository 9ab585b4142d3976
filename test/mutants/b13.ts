/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B13: Mutant = {
  why: 'Akka.NET 8583: the end of a coordinator stops the region of its node, which stays.',
  edits: [
    {
      file: 'src/sharding/running-type.ts',
      find: '        listen: (tell) => void (this.#coordinator = tell),',
      replace: `        listen: (tell) => {
          this.#coordinator = tell
          if (tell === undefined) this.region.leave()
        },`,
    },
  ],
  found: {
    by: 'no message is given up without a fault',
    scenario: 'spine',
    seed: 4,
    oneIn: 5,
    isSlow: true,
  },
}
