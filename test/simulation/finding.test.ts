import { expect, test } from 'vitest'
import { simulateSeeds } from '../../src/simulation/index.ts'
import { cases } from '../how-long.ts'
import { finding } from '../scenarios/finding.ts'

test('nodes that are told different things when they look for each other are one cluster in the end, and never two', async () => {
  const runs = { scenario: finding, seeds: cases({ short: 2, full: 200 }) }
  for await (const { seed, violations } of simulateSeeds(runs)) {
    expect({ seed, violations }).toEqual({ seed, violations: [] })
  }
}, 900_000)
