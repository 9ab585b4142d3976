import { expect, test } from 'vitest'
import { type SeedResult, simulateSeeds } from '../../src/simulation/index.ts'
import { addToReport, emptyReport } from '../../src/simulation/internals.ts'
import { cases } from '../how-long.ts'
import { type KnownScenario, problemsOver, scenarios } from '../scenarios/index.ts'

async function results(name: string, seeds: number): Promise<SeedResult[]> {
  const { scenario } = scenarios.get(name) as KnownScenario
  const all: SeedResult[] = []
  for await (const result of simulateSeeds({ scenario, seeds, seed: 1 })) all.push(result)
  return all
}

test('shards that remember, hold leases and limit entities keep their promises under faults, and the same seed does the same', async () => {
  const first = await results('sharding', cases({ short: 2, full: 200 }))
  expect(first.flatMap(({ violations }) => violations)).toEqual([])
  const report = first.reduce(addToReport, emptyReport)
  expect(problemsOver(report, scenarios.get('sharding') as KnownScenario)).toEqual([])
  const [again] = await results('sharding', 1)
  expect(again?.hash).toBe(first[0]?.hash)
}, 600_000)

test('without faults they lose nothing while nodes come and go', async () => {
  const all = await results('sharding-calm', cases({ short: 2, full: 60 }))
  expect(all.flatMap(({ violations }) => violations)).toEqual([])
  expect(all.map(({ faults, excuses }) => ({ faults, excuses }))).toEqual(
    all.map(() => ({ faults: 0, excuses: {} })),
  )
}, 600_000)
