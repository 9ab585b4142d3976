import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { tangled } from '../scenarios/tangled.ts'

test('no strategy that promises one side leaves two, however links are cut, and where the store decides somebody survives', async () => {
  for await (const { seed, violations } of simulateSeeds({ scenario: tangled, seeds: 60 })) {
    expect({ seed, violations }).toEqual({ seed, violations: [] })
  }
}, 900_000)
