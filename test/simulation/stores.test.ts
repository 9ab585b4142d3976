import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { addToReport, emptyReport } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import { type KnownScenario, problemsOver, scenarios } from '../scenarios/index.ts'
import { stores } from '../scenarios/stores.ts'

test('nothing acknowledged is lost, and every state is its replay, whatever befalls the store', async () => {
  let report = emptyReport
  for await (const result of simulateSeeds({
    scenario: stores,
    seeds: cases({ short: 6, full: 300 }),
  })) {
    expect(result.violations).toEqual([])
    report = addToReport(report, result)
  }
  expect(problemsOver(report, scenarios.get('stores') as KnownScenario)).toEqual([])
}, 900_000)
