import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { spine } from '../scenarios/spine.ts'

async function results(seeds: number) {
  const all = []
  for await (const result of simulateSeeds({ scenario: spine, seeds })) all.push(result)
  return all
}

test('whole nodes keep their promises under load and faults, and the same seed does the same', async () => {
  const first = await results(6)
  expect(first.flatMap(({ violations }) => violations)).toEqual([])
  const second = await results(2)
  expect(second.map(({ hash }) => hash)).toEqual(first.slice(0, 2).map(({ hash }) => hash))
}, 60_000)
