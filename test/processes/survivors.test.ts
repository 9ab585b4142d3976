import { describe, expect, test } from 'vitest'
import { cases, isFull } from '../how-long.ts'
import { play } from './harness/scene.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { cutTwo, killOneOfTwo, killTwoOfThree, killWithoutStore } from './scenarios/survivors.ts'

const inFull: readonly [string, Scenario][] = [
  ['the last of three goes on when two are killed at once', killTwoOfThree],
  ['of two nodes either survives the other', killOneOfTwo],
]

/** Fifty rounds: `npm run chaos -- --only kill-one-of-two --rounds 50`, and so on. */
describe('the store decides who survives, at the defaults', { timeout: 180_000 }, () => {
  test.each<[string, Scenario]>([
    ...(isFull ? inFull : []),
    ['of two nodes that lose each other one goes on', cutTwo],
    [
      'nobody is given up while the store is stopped, and the others go on when it is back',
      killWithoutStore,
    ],
  ])('%s, and nothing is lost, doubled or active twice', async (_, scenario) => {
    const { problems, figures } = await play(scenario, cases({ short: 1, full: 4 }), false)
    expect(problems).toEqual([])
    expect(figures['acked']).toBeGreaterThan(100)
  })
})
