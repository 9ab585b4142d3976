import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { remembering } from '../scenarios/remembering.ts'

test('remembered entities run again by themselves whatever befalls nodes, network and store', async () => {
  const runs = { scenario: remembering, seeds: cases({ short: 6, full: 500 }) }
  for await (const { seed, violations } of simulateSeeds(runs)) {
    expect({ seed, violations }).toEqual({ seed, violations: [] })
  }
}, 1_800_000)
