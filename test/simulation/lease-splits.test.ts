import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { leaseSplits } from '../scenarios/lease-splits.ts'

test('one side of a split goes on where a lease decides and nothing else is shared, also when the winner is gone before the loser was told', async () => {
  const runs = { scenario: leaseSplits, seeds: cases({ short: 6, full: 300 }) }
  for await (const { seed, violations } of simulateSeeds(runs)) {
    expect({ seed, violations }).toEqual({ seed, violations: [] })
  }
}, 900_000)
