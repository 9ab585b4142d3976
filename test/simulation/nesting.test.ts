import { expect, test } from 'vitest'
import { type SeedResult, simulateSeeds } from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { nesting } from '../scenarios/nesting.ts'
import { nestingPlaces } from '../scenarios/nesting/nesting-ledger.ts'

async function results(seeds: number): Promise<SeedResult[]> {
  const all: SeedResult[] = []
  for await (const result of simulateSeeds({ scenario: nesting, seeds })) all.push(result)
  return all
}

// That it can fail is shown by the mutants N01 to N03.
test('behaviors inside each other keep the promises of actors, and come to the places that are hard', async () => {
  const all = await results(cases({ short: 400, full: 4_000 }))
  expect(all.flatMap(({ violations }) => violations)).toEqual([])
  const reached = new Set(all.flatMap(({ places }) => Object.keys(places)))
  expect(nestingPlaces.filter((place) => !reached.has(place))).toEqual([])
}, 600_000)

test('the same seed does the same', async () => {
  const hashes = async (): Promise<string[]> => (await results(30)).map(({ hash }) => hash)
  const first = await hashes()
  expect(await hashes()).toEqual(first)
  expect(new Set(first).size).toBe(first.length)
}, 600_000)
