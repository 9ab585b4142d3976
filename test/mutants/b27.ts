/** A seeded bug; see index.ts. */
import type { Mutant } from './mutant.ts'

export const B27: Mutant = {
  why: 'Akka 24847, 22156, Pekko 3174: system messages are counted by address. Here a confirmation comes by the connection of its incarnation alone, so the receiver does it: the first ones of a process that was started again pass for those of the one before.',
  edits: [
    {
      file: 'src/remote/watch/remote-death-watch.ts',
      find: `    this.#aside = []
    this.#receiver = new SystemReceiver()
`,
      replace: `    this.#aside = []
`,
    },
  ],
  found: { by: 'W1: whoever watches is told', scenario: 'spine', seed: 1, oneIn: 4, isSlow: true },
}
