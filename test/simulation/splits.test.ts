import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { splits } from '../scenarios/splits.ts'

test('one side of a split goes on where the store decides, whatever else befalls nodes and store', async () => {
  const runs = { scenario: splits, seeds: cases({ short: 4, full: 200 }) }
  for await (const { seed, violations } of simulateSeeds(runs)) {
    expect({ seed, violations }).toEqual({ seed, violations: [] })
  }
}, 900_000)
