import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { addToReport, emptyReport } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import { type KnownScenario, problemsOver, scenarios } from '../scenarios/index.ts'

test('one holds a lease at a time, whatever sleeps, dies, fails or errs', async () => {
  const known = scenarios.get('leases') as KnownScenario
  let report = emptyReport
  for await (const result of simulateSeeds({
    scenario: known.scenario,
    seeds: cases({ short: 30, full: 3_000 }),
  })) {
    expect(result.violations).toEqual([])
    report = addToReport(report, result)
  }
  expect(problemsOver(report, known)).toEqual([])
}, 600_000)
