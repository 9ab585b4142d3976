import { expect, test } from 'vitest'
import { type Scenario, simulateSeeds } from '../../src/simulation/index.ts'
import { addToReport, emptyReport } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import { type KnownScenario, problemsOver, scenarios } from '../scenarios/index.ts'
import { handOffs } from '../scenarios/hand-offs.ts'
import { spineCalm } from '../scenarios/spine-calm.ts'
import { spineMoves } from '../scenarios/spine-moves.ts'
import { spineWrites } from '../scenarios/spine-writes.ts'
import { spine, spineFlaps, spineHardships } from '../scenarios/spine.ts'

async function results(seeds: number, scenario: Scenario = spine) {
  const all = []
  for await (const result of simulateSeeds({ scenario, seeds })) all.push(result)
  return all
}

test('whole nodes keep their promises under load and faults, and the same seed does the same', async () => {
  const first = await results(cases({ short: 3, full: 300 }))
  expect(first.flatMap(({ violations }) => violations)).toEqual([])
  // Many seeds together: what they must reach, and what they may excuse.
  const report = first.reduce(addToReport, emptyReport)
  expect(problemsOver(report, scenarios.get('spine') as KnownScenario)).toEqual([])
  const second = await results(2)
  expect(second.map(({ hash }) => hash)).toEqual(first.slice(0, 2).map(({ hash }) => hash))
}, 600_000)

test('without faults nothing is lost and no call fails while nodes come and go', async () => {
  const [first, second] = await results(cases({ short: 2, full: 60 }), spineCalm)
  expect([first?.violations, second?.violations]).toEqual([[], []])
  expect([first?.faults, first?.excuses]).toEqual([0, {}])
  expect(Object.keys(first?.places ?? {})).toContain('shards move for balance')
}, 600_000)

test.each([
  ['shards that never rest', spineMoves],
  ['a side that is cut off again and again', spineFlaps],
  ['slow CPUs, clocks that err, half-open connections and former lives', spineHardships],
  ['writes that fail among many', spineWrites],
  ['nodes that die in the midst of hand-offs', handOffs],
])(
  'nothing goes wrong with %s',
  async (_, scenario) => {
    const all = await results(cases({ short: 1, full: 60 }), scenario)
    expect(all.flatMap(({ violations }) => violations)).toEqual([])
  },
  600_000,
)
